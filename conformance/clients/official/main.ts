import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientReport } from '../report.ts';
import type { PublishedVerdict } from './verdicts.ts';

// Installs published clients outside of the workspace, judges them, and writes verdicts.json for CLIENTS.md.

const folder = fileURLToPath(new URL('.', import.meta.url));
const cli = fileURLToPath(new URL('../../cli.ts', import.meta.url));
/** Not in this folder, so that the workspace's tools do not read the packages. */
const installed = fileURLToPath(new URL('../../../node_modules/.cache/judged-clients', import.meta.url));
const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
);
const [, python = ''] = /==(\S+)/.exec(readFileSync(join(folder, 'requirements.txt'), 'utf8')) ?? [];
/** The stack of x402's client for Rust also has a program that buys. */
const rustFolder = fileURLToPath(new URL('../../stacks/x402-rust', import.meta.url));
const [, rust = ''] =
  /^x402-reqwest = "=(.+)"$/m.exec(readFileSync(join(rustFolder, 'Cargo.toml'), 'utf8')) ?? [];
const name = (...parts: readonly string[]) =>
  parts.map((each) => `${each} ${dependencies[each]}`).join(' over ');
const withNode = (id: string) => [process.execPath, 'buy.mjs', id];

const clients: readonly (readonly [name: string, command: readonly string[]])[] = [
  [name('x402-fetch'), withNode('x402-fetch')],
  [name('x402-axios'), withNode('x402-axios')],
  [name('@x402/fetch'), withNode('@x402/fetch')],
  [name('@x402/axios'), withNode('@x402/axios')],
  [`x402 ${python} (Python, httpx)`, ['venv/bin/python', 'buy.py']],
  [`x402-reqwest ${rust} (Rust)`, ['x402-rust/target/debug/buy']],
  [name('openai', 'x402-fetch'), withNode('openai+x402-fetch')],
  [name('openai', '@x402/fetch'), withNode('openai+@x402/fetch')],
];

install();
const verdicts: PublishedVerdict[] = [];
for (const [client, command] of clients) {
  const report = await judge(command);
  if (report === undefined) {
    console.log(`${client}: skipped, because it cannot start`);
    continue;
  }
  const list = (outcome: string) =>
    report.results.filter((each) => each.outcome === outcome).map(({ id }) => id);
  const [failed, warned] = [list('fail'), list('warn')];
  const [open, unstreamed] = [list('inconclusive'), list('not-applicable')];
  verdicts.push({ client, must: report.must, failed, warned, open, unstreamed });
  console.log(`${client}: ${report.must.verified} of ${report.must.total} MUST`);
}
writeFileSync(join(folder, 'verdicts.json'), `${JSON.stringify(verdicts, null, 2)}\n`);
spawnSync('biome', ['format', '--write', 'verdicts.json'], { cwd: folder, stdio: 'inherit' });

/** The report of a client; undefined if its command cannot start. */
function judge(command: readonly string[]): Promise<ClientReport | undefined> {
  const args = [cli, 'client', '--json', '--silence-seconds', '2', '--', ...command];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: installed, maxBuffer: 16_000_000 }, (_, stdout) =>
      resolve(stdout === '' ? undefined : JSON.parse(stdout)),
    );
  });
}

/** A client that cannot be installed here is skipped later, because it cannot start. */
function install(): void {
  mkdirSync(installed, { recursive: true });
  for (const file of ['package.json', 'requirements.txt', 'buy.mjs', 'buy.py']) {
    cpSync(join(folder, file), join(installed, file));
  }
  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(program, args, { cwd: installed, stdio: ['ignore', 'ignore', 'inherit'] });
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund');
  run('python3', '-m', 'venv', 'venv');
  run(join(installed, 'venv/bin/pip'), 'install', '--quiet', '--requirement', 'requirements.txt');
  cpSync(rustFolder, join(installed, 'x402-rust'), { recursive: true });
  run('cargo', 'build', '--quiet', '--locked', '--bin', 'buy', '--manifest-path', 'x402-rust/Cargo.toml');
}
