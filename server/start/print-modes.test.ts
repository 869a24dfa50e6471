import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { programEnvironment } from '../testing/program-environment.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-print-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the gateway as `npm start` does. If it starts, it is stopped once it is ready. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  // Node reads its own --env-file up to `--`.
  const child = spawn(process.execPath, ['--', main, ...args], {
    cwd: folder,
    env: { ...programEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  child.stdout.on('data', (chunk) => String(chunk).includes('"event":"ready"') && child.kill('SIGTERM'));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
}

const write = (name: string, content: string, mode = 0o600) => {
  writeFileSync(join(folder, name), content);
  chmodSync(join(folder, name), mode);
};

const chainVariables = (url: string) => ({
  CHAIN_RPC_URL: url,
  TOKEN_ADDRESS: `0x${'22'.repeat(20)}`,
  TOKEN_NAME: 'T',
  PAY_TO: `0x${'33'.repeat(20)}`,
  RELAYER_KEY: `0x${'1f'.repeat(32)}`,
  PROOF_LEDGER_RPC_URL: url,
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: `0x${'44'.repeat(20)}`,
  PROOF_LEDGER_KEY: `0x${'3d'.repeat(32)}`,
});

describe('npm start -- --check-config (D-190)', () => {
  it.each([
    ['.env', 'missing', 'ENOENT, because its symbolic link leads to no file'],
    ['gateway.yaml', 'missing', 'ENOENT, because its symbolic link leads to no file'],
    ['gateway.yaml', 'gateway.yaml', 'ELOOP'],
  ])('reports that %s is a symbolic link to %s, and checks no devnet', async (name, target, why) => {
    symlinkSync(target, join(folder, name));
    const { code, stdout, stderr } = await run(['--check-config']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(name);
    expect(stderr).toContain(why);
  });

  it('opens no port, no store and no connection, and exits with 0', async () => {
    let connections = 0;
    const taken = createServer().on('connection', (socket) => {
      connections++;
      socket.destroy();
    });
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const environment = { ...chainVariables(`http://127.0.0.1:${port}`), PORT: String(port) };
    const { code, stdout, stderr } = await run(['--check-config', '--json'], environment);
    taken.close();
    expect([code, stderr, connections]).toEqual([0, '', 0]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, listensOn: `127.0.0.1:${port}` });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prints the same as text to standard output', async () => {
    const { code, stdout, stderr } = await run(['--check-config']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}Chain {9}eip155:84532, embedded devnet in \.data\/devnet$/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('exits with 2 after a fault, with every error on standard error', async () => {
    const { code, stdout, stderr } = await run(['--check-config'], { PORT: '-1', CATALOG_FILE: 'nope.json' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n')).toEqual([
      'The settings are wrong:',
      '  - port (PORT): is -1; it must be at least 0',
      expect.stringMatching(/^ {2}- nope\.json cannot be read/),
    ]);
  });

  it('exits with 2 and prints the errors as JSON with --json', async () => {
    const { code, stdout, stderr } = await run(['--check-config', '--json'], { PORT: '-1' });
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({ ok: false, errors: ['port (PORT): is -1; it must be at least 0'] });
  });
});

describe('npm start -- --print-config (D-190)', () => {
  it('prints the effective settings as YAML that is a valid settings file', async () => {
    write('gateway.yaml', 'port: 1\nadvanced: { toolsMax: 7 }');
    const first = await run(['--print-config'], { HOST: '127.0.0.2', RELAYER_KEY: 'abc' });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(parse(first.stdout)).toMatchObject({ host: '127.0.0.2', port: 1, advanced: { toolsMax: 7 } });
    write('gateway.yaml', first.stdout);
    expect((await run(['--print-config'])).stdout).toBe(first.stdout);
  });

  it('prints the same as JSON, without keys', async () => {
    const environment = chainVariables('https://user:s3cret@node.example/s3cret-s3cret');
    const { code, stdout } = await run(['--print-config', '--json'], environment);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ chain: { rpcUrl: ['https://***:***@node.example/***'] } });
    for (const secret of ['s3cret', environment.RELAYER_KEY, environment.PROOF_LEDGER_KEY])
      expect(stdout).not.toContain(secret);
  });

  it('exits with 2 after a wrong setting', async () => {
    const { code, stdout, stderr } = await run(['--print-config'], { PORT: 'many' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('port (PORT): is "many"');
  });
});

describe('The env file of npm start (D-190)', () => {
  it('is .env if it exists, overrides the settings file, is overridden by the environment, and suffices to start', async () => {
    const key = `0x${'1f'.repeat(32)}`;
    write('.env', `PORT=0\nHOST=127.0.0.9\nLOG_FORMAT=pretty\nRELAYER_KEY=${key}\n`, 0o644);
    write('gateway.yaml', 'port: 1\nhost: 127.0.0.8');
    const { code, stdout, stderr } = await run(['--json'], { HOST: '127.0.0.1' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '').url).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,}$/);
    // LOG_FORMAT comes from the env file too. Its key is ignored on a devnet and never printed.
    expect(stderr).toMatch(
      /^[\d:.]+ WARN {2}Other users of this machine may read or change \.env, which holds RELAYER_KEY\. Run chmod 600 \.env\.$/m,
    );
    expect(stderr).not.toContain(key);
  });

  it('may hold the keys of a real chain', async () => {
    const { RELAYER_KEY, PROOF_LEDGER_KEY, ...others } = chainVariables('http://127.0.0.1:1');
    expect((await run(['--check-config'], others)).code).toBe(2);
    write('.env', `RELAYER_KEY=${RELAYER_KEY}\nPROOF_LEDGER_KEY=${PROOF_LEDGER_KEY}\n`);
    const { code, stdout } = await run(['--check-config', '--json'], others);
    expect([code, JSON.parse(stdout).warnings]).toEqual([0, []]);
    for (const key of [RELAYER_KEY, PROOF_LEDGER_KEY]) expect(stdout).not.toContain(key);
  });

  it('is the one that --env-file names', async () => {
    write('.env', 'PORT=1');
    write('other.env', 'HOST=127.0.0.3');
    const { stdout } = await run(['--check-config', '--json', '--env-file', 'other.env']);
    expect(JSON.parse(stdout)).toMatchObject({ listensOn: '127.0.0.3:8402' });
  });

  it('causes one error if --env-file names a missing one, and none if .env is missing', async () => {
    const { code, stdout, stderr } = await run(['--env-file', 'nope.env'], { PORT: '-1' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n')).toEqual([
      'The settings are wrong:',
      expect.stringContaining('The env file nope.env cannot be read (ENOENT).'),
    ]);
    expect((await run(['--check-config'])).code).toBe(0);
  });

  it('causes one error if .env cannot be read', async () => {
    mkdirSync(join(folder, '.env'));
    const { code, stdout } = await run(['--check-config', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).errors).toEqual([
      expect.stringContaining('The env file .env cannot be read (EISDIR).'),
    ]);
  });
});

it.each(['--version', '--help', '--settings'])(
  'npm start -- %s prints it, and starts nothing',
  async (option) => {
    const { code, stdout, stderr } = await run([option], { PORT: '-1' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.length).toBeGreaterThan(10);
    expect(readdirSync(folder)).toEqual([]);
  },
);
