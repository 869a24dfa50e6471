import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { writeLedger } from './ledger.ts';
import { normalise } from './normalise.ts';
import { makePortable } from './portable.ts';
import { writeTypes } from './types.ts';
import { writeValidators } from './validators.ts';
import { writeVectors } from './vectors.ts';

const specFolder = fileURLToPath(new URL('..', import.meta.url));
const compileTimeoutMs = 120_000;

/** Handwritten in generated/. Everything else there is emitted. */
const notEmitted = new Set(['package.json', 'node_modules']);

const { values: options } = parseArgs({
  options: {
    /** Change nothing. Fail if the folder does not match spec/. */
    check: { type: 'boolean', default: false },
    /** The folder to write or check instead of generated/. */
    into: { type: 'string', default: fileURLToPath(new URL('../../generated', import.meta.url)) },
    /** A folder that this program has just written. Its files replace a compilation of spec/. */
    emitted: { type: 'string' },
  },
});

const fresh = await mkdtemp(join(tmpdir(), 'paid-inference-generate-'));
try {
  if (options.emitted === undefined) await emitInto(fresh);
  const wanted = await emittedFiles(resolve(options.emitted ?? fresh));
  const found = await emittedFiles(resolve(options.into));
  const differences = compare(wanted, found);
  if (!options.check) await replace(resolve(options.into), wanted, found);
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
  const portable = makePortable(normalise(await takeDocument(folder, '3.0.0'), '3.0.0'));
  await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(precise, null, 2)}\n`);
  await writeFile(join(folder, 'openapi.3.0.json'), `${JSON.stringify(portable, null, 2)}\n`);
  await writeTypes(join(folder, 'openapi.json'), folder);
  await writeValidators(precise, folder);
  await writeLedger(folder);
  await writeVectors(folder);
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
    throw new Error('The TypeSpec does not compile. The errors are above', { cause });
  }
}

/** Lists the files that are missing, superfluous or different. */
function compare(wanted: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  return names.flatMap((name) => {
    const [ours, theirs] = [wanted.get(name), found.get(name)];
    if (ours === undefined) return [`${name}: not emitted from spec/`];
    if (theirs === undefined) return [`${name}: missing`];
    return ours === theirs ? [] : [`${name}: differs`];
  });
}

/** The content of the emitted files by path, also of files that git does not track. */
async function emittedFiles(folder: string): Promise<Map<string, string>> {
  if (!existsSync(folder)) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !notEmitted.has(path.split('/')[0] ?? ''));
  const pairs = paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const);
  return new Map(await Promise.all(pairs));
}

/** Writes only changed files, each in one step, so that a concurrent reader never sees half a file. */
async function replace(
  folder: string,
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): Promise<void> {
  for (const name of found.keys()) if (!wanted.has(name)) await rm(join(folder, name));
  for (const [name, content] of wanted) {
    if (found.get(name) === content) continue;
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  }
}

function report(differences: readonly string[]): void {
  if (differences.length === 0) {
    console.log('generated/ matches spec/');
    return;
  }
  console.log(differences.map((line) => `  ${line}`).join('\n'));
  console.log(
    options.check
      ? 'generated/ does not match spec/: run `npm run generate` and commit'
      : 'generated/ rewritten',
  );
  if (options.check) process.exitCode = 1;
}
