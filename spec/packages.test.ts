import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConsumerCompiler } from './testing/compile-consumer.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A consumer of each package: its source and its output. */
const consumers = {
  contract: {
    source: `
      import { endpoints } from '@paid-inference/contract/constants';
      import type { PaymentRequirements } from '@paid-inference/contract/types';
      import { encodePaymentRequirements } from '@paid-inference/contract/headers';
      export const encode: (offer: PaymentRequirements) => string = encodePaymentRequirements;
      console.log(endpoints.createChatCompletion.path);`,
    prints: '/v1/chat/completions',
  },
  client: {
    source: `
      import { type Client, createClient } from '@paid-inference/client';
      import { payingFetch } from '@paid-inference/client/paying-fetch';
      import { verifyExchange } from '@paid-inference/client/verify';
      export const open: (url: string) => Client = (url) => createClient({ baseUrl: url } as never);
      console.log(typeof createClient, typeof payingFetch, typeof verifyExchange);`,
    prints: 'function function function',
  },
  conformance: {
    source: `
      import { type JudgeOptions, judge } from '@paid-inference/conformance';
      export const options: JudgeOptions = { targetUrl: 'http://127.0.0.1:1', profiles: ['free'], filter: undefined };
      console.log(typeof judge);`,
    prints: 'function',
  },
  server: {
    source: `
      import { createGateway, type GatewayPorts } from '@paid-inference/server';
      export const open = (ports: GatewayPorts) => createGateway(ports);
      console.log(typeof createGateway);`,
    prints: 'function',
  },
} as const;
const compiler = createConsumerCompiler();
const names = Object.keys(consumers) as (keyof typeof consumers)[];

let folder: string;
/**
 * Packs and unpacks the packages as an installation would. Dependencies are linked, so that no network is
 * needed.
 */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
  execFileSync(process.execPath, [join(root, '.config/pack.ts'), '--into', folder], {
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const name of names) install(name);
}, 120_000);
afterAll(() => {
  compiler.close();
  rmSync(folder, { recursive: true, force: true });
});

const findTarball = (name: string) =>
  join(folder, globSync(`paid-inference-${name}-*.tgz`, { cwd: folder })[0] ?? '');
const projectFolder = (name: string) => join(folder, 'projects', name);
const installedIn = (name: string) => join(projectFolder(name), 'node_modules/@paid-inference', name);

function install(name: keyof typeof consumers): void {
  const installed = installedIn(name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', findTarball(name), '--strip-components=1', '-C', installed]);
  const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const dependency of [...Object.keys(dependencies), '@types/node']) {
    if (dependency.startsWith('@paid-inference/')) continue;
    const link = join(projectFolder(name), 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), link);
  }
  writeFileSync(join(projectFolder(name), 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(join(projectFolder(name), 'consumer.ts'), consumers[name].source);
}

describe.each(names)('The tarball of %s', { timeout: 60_000 }, (name) => {
  it('has compiled modules with types and source maps, licence and README, but no sources', () => {
    const files = globSync('**/*', { cwd: installedIn(name), exclude: ['node_modules/**'] });
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(files.filter((file) => /\.test\.|^(testing|mutants|faults|bench)\//.test(file))).toEqual([]);
    const modules = files.filter(
      (file) => file.endsWith('.js') && !/^(validators\.js|web\/built\/.*)$/.test(file),
    );
    expect(modules.length).toBeGreaterThan(3);
    expect(modules.filter((file) => !files.includes(`${file}.map`))).toEqual([]);
    expect(modules.filter((file) => !files.includes(file.replace(/\.js$/, '.d.ts')))).toEqual([]);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: installedIn(name), strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>))).toEqual([]);
  });

  it('resolves with its types in every mode of ES modules', async () => {
    const tarball = createPackageFromTarballData(readFileSync(findTarball(name)));
    const analysis = await checkPackage(tarball, { excludeEntrypoints: ['./IInferenceLedger.sol'] });
    const problems = 'problems' in analysis ? analysis.problems : ['no types'];
    // The packages have only ES modules, so `require` and the resolution of Node 10 find nothing.
    const ofModules = problems
      .map((problem) => JSON.stringify(problem))
      .filter((problem) => !/"node10"|"node16-cjs"|"CJSResolvesToESM"/.test(problem));
    expect(ofModules).toEqual([]);
  });

  it.each(['node16', 'bundler'] as const)('compiles a consumer with moduleResolution %s', (resolution) => {
    expect(compiler.compile(projectFolder(name), resolution)).toBe('');
    if (resolution === 'bundler') return;
    const printed = execFileSync(process.execPath, ['node16/consumer.js'], { cwd: projectFolder(name) });
    expect(String(printed).trim()).toBe(consumers[name].prints);
  });
});

it.each([
  ['client', 'cli.js', 'paid-inference: unknown option'],
  ['conformance', 'cli.js', 'conformance: unknown option'],
  ['server', 'main.js', 'paid-inference-gateway --help lists all options'],
] as const)('The command of %s tells its version, and names an unknown option', (name, file, fault) => {
  const run = (option: string) =>
    spawnSync(process.execPath, [join(installedIn(name), file), option], { encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(run('--version').stdout).toMatch(new RegExp(`${version}\\n$`));
  expect(run('--bogus')).toMatchObject({ status: 2, stderr: expect.stringContaining(fault) });
});

it('The tarball of server has the SQL of both stores, and opens a new store with it', () => {
  const storeFiles = (server: string) => globSync('store/**/*.sql', { cwd: server }).sort();
  expect(storeFiles(installedIn('server'))).toEqual(storeFiles(join(root, 'server')));
  const program = join(projectFolder('server'), 'open-store.js');
  const installed = './node_modules/@paid-inference/server';
  writeFileSync(
    program,
    `import { openSqliteStore } from '${installed}/store/sqlite/sqlite-store.js';
     import { systemClock as clock } from '${installed}/types/clock.js';
     const store = await openSqliteStore({ path: ':memory:', clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 1 });
     console.log(await store.healthIssue());
     await store.close();`,
  );
  expect(String(execFileSync(process.execPath, [program])).trim()).toBe('null');
});

it('The tarball of server has the files of the web page, byte for byte', () => {
  const listBuilt = (server: string) => globSync('web/built/**/*.*', { cwd: server }).sort();
  const [packed, source] = [installedIn('server'), join(root, 'server')];
  expect(listBuilt(packed)).toEqual(listBuilt(source));
  expect(listBuilt(packed)).toContain('web/built/index.html');
  for (const file of listBuilt(packed))
    expect(readFileSync(join(packed, file), 'utf8')).toBe(readFileSync(join(source, file), 'utf8'));
});

it.each([
  ['contract', '@paid-inference/contract/headers'],
  ['client', '@paid-inference/client'],
  ['client', '@paid-inference/client/verify'],
] as const)("%s bundles for a browser without Node's modules: %s", async (name, imported) => {
  const entry = join(projectFolder(name), 'browser.js');
  writeFileSync(entry, `export * from '${imported}';\n`);
  const bundle = await rolldown({ input: entry, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  expect(output.flatMap((chunk) => ('imports' in chunk ? chunk.imports : []))).toEqual([]);
  expect(
    output.flatMap((chunk) => ('code' in chunk ? chunk.code.match(/\bfrom ["']node:\w+/g) : []) ?? []),
  ).toEqual([]);
});
