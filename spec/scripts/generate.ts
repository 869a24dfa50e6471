import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { normalise } from './normalise.ts';
import { writeTypes } from './types.ts';
import { writeValidators } from './validators.ts';

const specFolder = fileURLToPath(new URL('..', import.meta.url));
const generatedFolder = fileURLToPath(new URL('../../generated', import.meta.url));
const compileTimeoutMs = 120_000;

/** Written by hand in generated/; everything else there is emitted. */
const notEmitted = new Set(['package.json', 'node_modules']);

const check = process.argv.includes('--check');
const fresh = await mkdtemp(join(tmpdir(), 'paid-inference-generate-'));
try {
  await emitInto(fresh);
  const differences = await compare(fresh, generatedFolder);
  if (!check) await replace(fresh, generatedFolder);
  report(differences);
} finally {
  await rm(fresh, { recursive: true, force: true });
}

async function emitInto(folder: string): Promise<void> {
  const compiler = fileURLToPath(
    new URL('./cmd/tsp.js', import.meta.resolve('@typespec/compiler/package.json')),
  );
  await run(compiler, ['compile', 'main.tsp', '--warn-as-error', '--output-dir', folder]);
  const precise = normalise(await takeDocument(folder, '3.1.0'), '3.1.0');
  const portable = normalise(await takeDocument(folder, '3.0.0'), '3.0.0');
  await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(precise, null, 2)}\n`);
  await writeFile(join(folder, 'openapi.3.0.json'), `${JSON.stringify(portable, null, 2)}\n`);
  await writeTypes(join(folder, 'openapi.json'), folder);
  await writeValidators(precise, folder);
}

async function takeDocument(folder: string, version: string): Promise<object> {
  const text = await readFile(join(folder, version, 'openapi.json'), 'utf8');
  await rm(join(folder, version), { recursive: true });
  return JSON.parse(text) as object;
}

async function run(script: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [script, ...args], {
      cwd: specFolder,
      timeout: compileTimeoutMs,
    });
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string };
    console.error(`${stdout ?? ''}${stderr ?? ''}`);
    throw new Error('the TypeSpec does not compile; the compiler says why above', { cause });
  }
}

/** Names of the files that one folder has and the other lacks, or that differ. */
async function compare(wanted: string, found: string): Promise<string[]> {
  const [wantedFiles, foundFiles] = await Promise.all([emittedFiles(wanted), emittedFiles(found)]);
  const names = [...new Set([...wantedFiles.keys(), ...foundFiles.keys()])].sort();
  return names.flatMap((name) => {
    const [ours, theirs] = [wantedFiles.get(name), foundFiles.get(name)];
    if (ours === undefined) return [`${name}: not emitted from spec/`];
    if (theirs === undefined) return [`${name}: missing`];
    return ours === theirs ? [] : [`${name}: differs`];
  });
}

async function emittedFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !isByHand(join(entry.parentPath, entry.name)));
  const pairs = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const;
  });
  return new Map(await Promise.all(pairs));

  function isByHand(path: string): boolean {
    return notEmitted.has(path.slice(folder.length + 1).split('/')[0] ?? '');
  }
}

async function replace(from: string, to: string): Promise<void> {
  for (const name of (await emittedFiles(to)).keys()) await rm(join(to, name));
  await cp(from, to, { recursive: true });
}

function report(differences: readonly string[]): void {
  if (differences.length === 0) {
    console.log('generated/ is what spec/ says');
    return;
  }
  console.log(differences.map((line) => `  ${line}`).join('\n'));
  console.log(
    check ? 'generated/ is not what spec/ says: run `npm run generate` and commit' : 'generated/ rewritten',
  );
  if (check) process.exitCode = 1;
}
