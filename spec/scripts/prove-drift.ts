import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = ['server', 'client', 'conformance'] as const;
type Package = (typeof packages)[number];
const outputBytesMax = 64 * 1_048_576;
const stepTimeoutMs = 300_000;

/** Fields to rename, one of each part of the contract: request, offer, receipt. */
const drifts = [
  { model: 'ChatCompletionRequest', field: 'max_tokens', renamed: 'max_new_tokens' },
  { model: 'PaymentRequirements', field: 'maxAmountRequired', renamed: 'maxAmount' },
  { model: 'PaymentReceipt', field: 'txHash', renamed: 'hash' },
] as const;

/**
 * Proves that the contract has one source: renames a field of spec/ in a copy of the workspace and generates
 * everything. Each package that uses the old name must then fail to compile. Run by `npm run prove:drift`.
 */
const copy = mkdtempSync(join(tmpdir(), 'paid-inference-drift-'));
try {
  await copyWorkspace();
  const known = new Set(await compileErrors());
  if (known.size > 0) console.log(`${known.size} errors exist already and are ignored`);
  console.log(row('field', packages));
  for (const drift of drifts) await prove(drift, known);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function prove(
  { model, field, renamed }: (typeof drifts)[number],
  known: ReadonlySet<string>,
): Promise<void> {
  const restore = renameInSpec(field, renamed);
  await run(join(copy, 'spec/scripts/generate.ts'), []);
  const errors = (await compileErrors()).filter((error) => !known.has(error));
  const verdicts = packages.map((name) => {
    const places = errors.filter((error) => error.startsWith(`${name}/`));
    const inTests = places.filter((error) => isTest(error.slice(0, error.indexOf('('))));
    const broken = places.length - inTests.length;
    if (broken > 0) return `fails in ${broken} places (and ${inTests.length} in tests)`;
    if (!writes(name, field)) return 'does not use the field';
    process.exitCode = 1;
    return `STILL COMPILES (${inTests.length} in tests)`;
  });
  console.log(row(`${model}.${field}`, verdicts));
  restore();
}

/** Copies the files of git and links the installed packages. The workspace's own packages link to the copy. */
async function copyWorkspace(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    maxBuffer: outputBytesMax,
  });
  for (const file of stdout.split('\n').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const own = '@paid-inference';
  mkdirSync(join(copy, 'node_modules', own), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== own)) {
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const [name, folder] of [
    ['contract', 'generated'],
    ['spec', 'spec'],
    ...packages.map((each) => [each, each]),
  ]) {
    symlinkSync(join(copy, folder ?? ''), join(copy, 'node_modules', own, name ?? ''));
  }
}

/** Renames a field in the TypeSpec, outside of strings. Returns a function that restores the files. */
function renameInSpec(field: string, renamed: string): () => void {
  const files = readdirSync(join(copy, 'spec'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsp'))
    .map((name) => join(copy, 'spec', name));
  const before = files.map((file) => [file, readFileSync(file, 'utf8')] as const);
  for (const [file, text] of before) {
    const pieces = text.split(/("(?:[^"\\]|\\.)*")/);
    const word = new RegExp(`\\b${field}\\b`, 'g');
    writeFileSync(
      file,
      pieces.map((piece, at) => (at % 2 === 0 ? piece.replace(word, renamed) : piece)).join(''),
    );
  }
  return () => {
    for (const [file, text] of before) writeFileSync(file, text);
  };
}

async function compileErrors(): Promise<string[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [
    '-p',
    '.',
    '--pretty',
    'false',
    '--incremental',
    '--tsBuildInfoFile',
    join(copy, 'build-info'),
  ];
  const output = await run(compiler, args).catch((cause: { stdout?: string }) => cause.stdout ?? '');
  return output.split('\n').filter((line) => /^[\w./-]+\(\d+,\d+\): error TS/.test(line));
}

async function run(script: string, args: readonly string[]): Promise<string> {
  const options = { cwd: copy, maxBuffer: outputBytesMax, timeout: stepTimeoutMs };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], options);
  return stdout;
}

/** Whether the shipped code of a package uses the word, outside of comments. */
function writes(name: Package, field: string): boolean {
  const word = new RegExp(`\\b${field}\\b`);
  return readdirSync(join(copy, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !isTest(file))
    .some((file) => word.test(withoutComments(readFileSync(join(copy, name, file), 'utf8'))));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.split('/').includes('testing');
}

function row(field: string, cells: readonly string[]): string {
  return [field.padEnd(40), ...cells.map((cell) => cell.padEnd(34))].join('').trimEnd();
}
