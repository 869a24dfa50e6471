import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { chainId } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { programEnvironment } from '../testing/program-environment.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const nowhere = `0x${'44'.repeat(20)}`;
let devnet: Devnet;
let taken: Server;
let takenPort: string;
let folder: string;
let real: Record<string, string>;

beforeAll(async () => {
  devnet = await startDevnet({ chainId });
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  takenPort = String((taken.address() as AddressInfo).port);
  real = {
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
  };
});
afterAll(async () => {
  taken.close();
  await devnet.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-faults-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the gateway as a process and waits for its exit. */
async function start(
  environment: Record<string, string>,
  args: readonly string[] = [],
  command: string[] = [],
) {
  const [program = '', ...before] = [...command, process.execPath, main];
  const child = spawn(program, [...before, ...args], {
    cwd: folder,
    env: { ...programEnvironment, PORT: '0', LOG_LEVEL: 'silent', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A gateway that starts despite the faults prints that it is ready; then it is stopped.
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code, lines: stderr.trim().split('\n') };
}

/** A path that not even root can write: below a file. */
function belowFile(): string {
  writeFileSync(join(folder, 'file'), '');
  return join(folder, 'file', 'gateway.db');
}

describe('a start reports all faults in one message (D-144)', () => {
  it('ports, folder, key file, catalog, token, proof ledger chain and contract: one line for each, and no other', async () => {
    const path = belowFile();
    const { RELAYER_KEY: _, ...others } = real;
    const { code, stdout, lines } = await start({
      ...others,
      PORT: takenPort,
      // The devnet listens there.
      ADMIN_ADDRESS: new URL(devnet.rpcUrl).host,
      DATABASE_FILE: path,
      CATALOG_FILE: 'nope.json',
      RELAYER_KEY_FILE: join(folder, 'nope.key'),
      TOKEN_NAME: 'Other Token',
      PROOF_LEDGER_CHAIN_ID: '5',
      PROOF_LEDGER_CONTRACT: nowhere,
      ATTESTATION_REQUIRED: 'hardware',
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(lines).toEqual([
      'The gateway cannot start:',
      expect.stringMatching(/^ {2}- RELAYER_KEY_FILE: .*nope\.key .*ENOENT/),
      expect.stringMatching(
        /metrics cannot be served at 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Set ADMIN_ADDRESS/,
      ),
      expect.stringMatching(/^ {2}- nope\.json .*CATALOG_FILE/),
      expect.stringContaining(`Port ${takenPort} of 127.0.0.1 is in use. Set PORT to another one`),
      expect.stringContaining(`${path} cannot be written (EEXIST). A folder in the path is a file.`),
      expect.stringMatching(/"Test Payment Token".*"Other Token".*TOKEN_NAME/),
      expect.stringMatching(/serves chain 31740.* chain 5\. .*PROOF_LEDGER_CHAIN_ID/),
      expect.stringMatching(new RegExp(`no contract at ${nowhere}.*PROOF_LEDGER_CONTRACT`)),
      expect.stringContaining('attestation.required is hardware'),
    ]);
    for (const line of lines) expect(line).not.toContain(devnet.ledger.relayerKey);
  });

  it('a node that is down gives one line, and no line about the token, which was not read', async () => {
    const { code, lines } = await start({
      ...real,
      CHAIN_RPC_URL: 'http://127.0.0.1:1/s3cret',
      PORT: takenPort,
    });
    expect(code).toBe(1);
    expect(lines).toEqual([
      'The gateway cannot start:',
      expect.stringContaining(`Port ${takenPort}`),
      expect.stringMatching(/does not respond to eth_chainId .*ECONNREFUSED.*CHAIN_RPC_URL/),
    ]);
    expect(lines.join()).not.toContain('s3cret');
  });

  it('a shared store that is down is reported beside a wrong token, and the store does not record the chain', async () => {
    const { code, lines } = await start({
      ...real,
      TOKEN_ADDRESS: nowhere,
      DATABASE_URL: 'postgres://user:s3cret@127.0.0.1:1/store',
      COMPLETION_KEY: `0x${'ab'.repeat(32)}`,
    });
    expect(code).toBe(1);
    expect(lines).toEqual([
      'The gateway cannot start:',
      expect.stringMatching(new RegExp(`no contract at ${nowhere}.*TOKEN_ADDRESS`)),
      expect.stringMatching(/ECONNREFUSED.*DATABASE_URL/),
    ]);
    expect(lines.join()).not.toContain('s3cret');
  });

  it('no devnet is started after another fault', async () => {
    const { code, lines } = await start({ PORT: takenPort, DEVNET_FOLDER: join(belowFile(), 'devnet') });
    expect(code).toBe(1);
    expect(lines).toEqual([
      'The gateway cannot start:',
      expect.stringContaining(`Port ${takenPort}`),
      expect.stringMatching(/cannot be written.*DEVNET_FOLDER/),
    ]);
  });

  it('a store that was claimed by a failed start is free for the next start', async () => {
    const wrong = await start({ ...real, TOKEN_NAME: 'Other Token' });
    expect(wrong.code).toBe(1);
    const right = await start(real, ['--json']);
    expect(JSON.parse(right.stdout)).toMatchObject({ event: 'ready' });
    expect(right.code).toBe(0);
  });
});

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const isRoot = process.getuid?.() === 0;
const lowestFreePort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));

describe('a fault of the system comes with a remedy', () => {
  it('a folder that this user may not write in', async () => {
    const path = join(folder, 'closed');
    mkdirSync(path, { mode: 0o555 });
    chmodSync(folder, 0o755);
    const { code, lines } = await start({ DEVNET_FOLDER: join(path, 'devnet') }, [], isRoot ? asNobody : []);
    expect(code).toBe(1);
    expect(lines[1]).toMatch(/cannot be written \(EACCES\)\. .*DEVNET_FOLDER/);
    expect(lines).toHaveLength(2);
  });

  it.runIf(lowestFreePort > 1)('a port that this user may not open', async () => {
    chmodSync(folder, 0o777);
    const { code, lines } = await start({ PORT: '1' }, [], isRoot ? asNobody : []);
    expect(code).toBe(1);
    expect(lines).toEqual([
      'The gateway cannot start:',
      expect.stringMatching(/Port 1 may not be opened by this user \(EACCES\)\. Set PORT to 1024 or more/),
    ]);
  });

  it.each([
    [
      'a HOST that is no address of this machine',
      { HOST: '192.0.2.1' },
      /192\.0\.2\.1 is no address of this machine\. Set HOST to 127\.0\.0\.1/,
    ],
    [
      'a HOST that no name server knows',
      { HOST: 'nope.invalid' },
      /nope\.invalid .*(ENOTFOUND|EAI_AGAIN)\)\. Set HOST to/,
    ],
  ])('%s', async (_name, environment, sentence) => {
    const { code, stderr, lines } = await start(environment);
    expect([code, lines.length]).toEqual([1, 2]);
    expect(stderr).toMatch(sentence);
  });

  it('a negative port is below its minimum', async () => {
    const { code, stderr } = await start({ PORT: '-1' });
    expect([code, stderr]).toEqual([
      2,
      'The settings are wrong:\n  - port (PORT): is -1; it must be at least 0\n',
    ]);
  });

  it('accepts IPv6 with brackets, as in a URL', async () => {
    const { stdout } = await start({ HOST: '[::1]' }, ['--json']);
    expect(JSON.parse(stdout).url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });

  it('names options that npm took as its own, and starts nothing', async () => {
    const kept = { npm_lifecycle_event: 'start', npm_config_json: 'true', npm_config_config: 'true' };
    const { code, stderr, stdout } = await start(kept, ['gateway.yaml']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('npm start -- --config');
  });
});
