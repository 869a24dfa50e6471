import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** A client, and the command that buys one chat completion with it. */
export type PublishedClient = {
  readonly name: string;
  readonly command: readonly string[];
  readonly installer: keyof typeof installers;
};

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Where the clients are installed: not in this folder, so that the workspace's tools do not read the packages. */
export const installedFolder = fileURLToPath(
  new URL('../../../node_modules/.cache/judged-clients', import.meta.url),
);
/** The stack of x402's client for Rust also has a program that buys. */
const rustFolder = fileURLToPath(new URL('../../stacks/x402-rust', import.meta.url));
const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
);

const cli = fileURLToPath(new URL('../../../client/cli.ts', import.meta.url));
const pythonPackage = fileURLToPath(new URL('../../../client/python', import.meta.url));
const python = readVersion(join(folder, 'requirements.txt'), /^x402\[.*\]==(\S+)$/m);
const pythonV1 = readVersion(join(folder, 'requirements-v1.txt'), /^x402==(\S+)$/m);
const pythonOpenai = readVersion(join(folder, 'requirements-project.txt'), /^openai==(\S+)$/m);
const rust = readVersion(join(rustFolder, 'Cargo.toml'), /^x402-reqwest = "=(.+)"$/m);

const openaiOverV1 = withNode('openai', 'x402-fetch');

const publishedClients: readonly PublishedClient[] = [
  withNode('x402-fetch'),
  withNode('x402-axios'),
  withNode('@x402/fetch'),
  withNode('@x402/axios'),
  withNode('thirdweb'),
  withPython(`x402 ${pythonV1} (Python, httpx)`, 'venv-v1', 'buy_v1.py'),
  withPython(`x402 ${python} (Python, httpx)`, 'venv', 'buy.py', 'httpx'),
  withPython(`x402 ${python} (Python, requests)`, 'venv', 'buy.py', 'requests'),
  { name: `x402-reqwest ${rust} (Rust)`, command: ['x402-rust/target/debug/buy'], installer: 'rust' },
  openaiOverV1,
  {
    ...openaiOverV1,
    name: `${openaiOverV1.name}, plain headers`,
    command: [process.execPath, 'buy.mjs', 'openai+x402-fetch+plain headers'],
  },
  withNode('openai', '@x402/fetch'),
  withNode('openai', 'payingFetch'),
  {
    name: `openai ${dependencies['openai']} over the local proxy`,
    command: ['sh', 'buy-over-proxy.sh', process.execPath, cli],
    installer: 'npm',
  },
  withPython(`openai ${pythonOpenai} (Python) over paid-inference`, 'venv-project', 'buy_project.py'),
];

function withNode(...parts: readonly string[]): PublishedClient {
  // The client of this project has no version here.
  const name = parts.map((part) => [part, dependencies[part]].join(' ').trim()).join(' over ');
  return { name, command: [process.execPath, 'buy.mjs', parts.join('+')], installer: 'npm' };
}

function withPython(
  name: string,
  installer: 'venv' | 'venv-v1' | 'venv-project',
  ...program: readonly string[]
): PublishedClient {
  return { name, command: [`${installer}/bin/python`, ...program], installer };
}

function readVersion(file: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
}

const installers = {
  npm: () => run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund']),
  venv: () => installPython('venv', 'requirements.txt'),
  'venv-v1': () => installPython('venv-v1', 'requirements-v1.txt'),
  'venv-project': () => installPython('venv-project', 'requirements-project.txt', pythonPackage),
  rust() {
    cpSync(rustFolder, join(installedFolder, 'x402-rust'), { recursive: true, preserveTimestamps: true });
    run('cargo', ['build', '--quiet', '--locked', '--bin', 'buy'], 'x402-rust');
  },
} as const;

/** The clients whose name contains a text of `--only`; all of them without this option. */
export function chooseClients(): readonly PublishedClient[] {
  const { only } = parseArgs({ options: { only: { type: 'string', multiple: true } } }).values;
  return publishedClients.filter(({ name }) => only?.some((text) => name.includes(text)) ?? true);
}

/** Installs clients. One that cannot be installed here cannot start later. */
export function installClients(clients: readonly PublishedClient[]): void {
  mkdirSync(installedFolder, { recursive: true });
  for (const file of [
    'package.json',
    'requirements.txt',
    'requirements-v1.txt',
    'requirements-project.txt',
    'buy-over-proxy.sh',
    'buy.mjs',
    'buy.py',
    'buy_v1.py',
    'buy_project.py',
  ])
    cpSync(join(folder, file), join(installedFolder, file));
  for (const installer of new Set(clients.map((client) => client.installer))) installers[installer]();
}

/** The results of this run and the others of earlier runs, in the order of the clients. */
export function mergeResults<Result extends { readonly client: string }>(
  earlier: readonly Result[],
  measured: readonly Result[],
): readonly Result[] {
  const all = [...measured, ...earlier];
  return publishedClients.flatMap(({ name }) => all.find(({ client }) => client === name) ?? []);
}

function installPython(name: string, requirements: string, ...packages: readonly string[]): void {
  run('python3', ['-m', 'venv', name]);
  const pip = join(installedFolder, name, 'bin/pip');
  run(pip, ['install', '--quiet', '--requirement', requirements, ...packages]);
}

function run(program: string, args: readonly string[], inner = '.'): void {
  spawnSync(program, args, { cwd: join(installedFolder, inner), stdio: ['ignore', 'ignore', 'inherit'] });
}
