import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { createLog } from '../observe/log.ts';
import { type RunningGateway, startGateway } from '../start/start.ts';
import { createCountingEngine, createEngines } from '../testing/counting-engine.ts';
import { findFreePort } from '../testing/free-port.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import { runGatewayCommand } from '../testing/run-gateway-command.ts';
import { shareTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { checkNames } from './finding.ts';

let devnet: Devnet;
let server: TestServer;
let folder: string;
let port: number;
let real: Record<string, string>;
const gateways: RunningGateway[] = [];

beforeAll(async () => {
  [devnet, server] = await Promise.all([startDevnet({ chainId }), shareTestServer()]);
});
afterAll(async () => {
  await server.remove();
  await devnet.stop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-doctor-'));
  port = await findFreePort();
  real = {
    PORT: String(port),
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    // Each test has a recipient of its own, because it has a store of its own.
    PAY_TO: `0x${randomBytes(20).toString('hex')}`,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
    DATABASE_FILE: join(folder, 'gateway.db'),
  };
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<RunningGateway> {
  const loaded = loadConfig(null, real);
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  const engines = createEngines(createCountingEngine());
  const started = await startGateway({ ...loaded.value, environment: {}, log: createLog('silent'), engines });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  gateways.push(started.value);
  return started.value;
}

async function buy({ url }: RunningGateway): Promise<number> {
  const offer = decodeOffer(await post(`${url}${chatPath}`, chatBody));
  const header = await paymentFor(offer, devnet.payer.privateKey);
  return (await post(`${url}${chatPath}`, chatBody, header)).status;
}

const doctor = (args: readonly string[], change: Record<string, string> = {}) =>
  runGatewayCommand(['doctor', ...args], { ...real, ...change }, folder);

type Report = { readonly status: string; readonly checks: { check: string; status: string; text: string }[] };

async function readReport(
  change: Record<string, string> = {},
): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await doctor(['--json'], change);
  return { code, report: JSON.parse(stdout) };
}

describe('paid-inference-gateway doctor', () => {
  it.each(['SQLite', 'PostgreSQL'])(
    'finds nothing wrong beside a running gateway on %s, which goes on selling',
    async (driver) => {
      if (driver === 'PostgreSQL') {
        real['DATABASE_URL'] = await server.createDatabase();
        real['COMPLETION_KEY'] = `0x${'ab'.repeat(32)}`;
      }
      const gateway = await start();
      expect(await buy(gateway)).toBe(200);
      const { code, report } = await readReport();
      const failures = report.checks.filter(({ status }) => status !== 'ok');
      // The server of the tests runs without fsync.
      expect(failures.filter(({ text }) => !text.includes('without fsync'))).toEqual([]);
      expect(code).toBe(0);
      const names = new Set(report.checks.map(({ check }) => check));
      const notAsked = ['completions', 'facilitator', 'attestation', 'tls'];
      const expected = checkNames.filter((name) => !notAsked.includes(name));
      expect([...names]).toEqual(expected);
      expect(await buy(gateway)).toBe(200);
      expect(await (await fetch(`${gateway.url}/ready`)).json()).toMatchObject({ status: 'ready' });
    },
  );

  it('prints a line for each check, and a sum, and ends with 1 when one failed', async () => {
    const { code, stdout } = await doctor([], { TOKEN_NAME: 'Other' });
    expect(code).toBe(1);
    const lines = stdout.trim().split('\n');
    expect(lines.slice(0, -2).every((line) => /^(ok|warning|failed) +[a-z-]+ +\S/.test(line))).toBe(true);
    expect(lines).toContainEqual(
      expect.stringMatching(/^failed +chain +The token uses the name .*Set TOKEN_NAME=/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^warning +gateway +No gateway listens/));
    expect(lines.at(-1)).toMatch(/^2 failed, 1 warning, \d+ ok$/);
    for (const secret of [devnet.relayerKey, devnet.ledger.relayerKey]) expect(stdout).not.toContain(secret);
  });

  it('counts a warning as a failure with --strict only', async () => {
    const gateway = await start();
    await gateway.stop();
    gateways.length = 0;
    writeFileSync(join(folder, 'gateway.yaml'), 'port: 0');
    const change = { PORT: '', PUBLIC_BASE_URL: '' };
    expect((await doctor([], change)).code).toBe(0);
    expect((await doctor(['--strict'], change)).code).toBe(1);
  });

  it('reports wrong settings with code 2, and checks what the others allow', async () => {
    const { code, report } = await readReport({ RELAYER_KEY: 'nonsense' });
    expect([code, report.status]).toEqual([2, 'failed']);
    expect(report.checks).toContainEqual({
      check: 'settings',
      status: 'failed',
      text: expect.stringContaining('RELAYER_KEY: must be a private key'),
    });
    expect(report.checks).toContainEqual(expect.objectContaining({ check: 'token', status: 'ok' }));
    const wrong = await readReport({ PORT: 'many' });
    expect(wrong.code).toBe(2);
    expect(wrong.report.checks.map(({ check }) => check)).toEqual(['settings']);
  });

  it('reports wrong settings and the faults of the catalog in one round (D-144)', async () => {
    const { code, report } = await readReport({ PORT: 'many', CATALOG_FILE: join(folder, 'missing.json') });
    expect(code).toBe(2);
    expect(report.checks).toEqual([
      expect.objectContaining({ check: 'settings', text: expect.stringMatching(/^port \(PORT\): /) }),
      expect.objectContaining({ check: 'models', text: expect.stringContaining('set CATALOG_FILE') }),
    ]);
  });

  it('reports a devnet as a warning, and needs no chain', async () => {
    const { code, stdout } = await runGatewayCommand(['doctor', '--json'], { PORT: String(port) }, folder);
    expect(code).toBe(0);
    const { checks }: Report = JSON.parse(stdout);
    expect(checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'settings warning',
      'models ok',
      'store ok',
      'gateway warning',
    ]);
  });

  it('fails where a start would fail for want of a hardware report', async () => {
    const names = ['tsmFolder', 'dstackSocket', 'confidentialSpaceSocket', 'nsmDevice'];
    const attestation = Object.fromEntries(names.map((name) => [name, join(folder, name)]));
    writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify({ attestation }));
    const ofAttestation = async (change: Record<string, string>) => {
      const { code, report } = await readReport(change);
      const found = report.checks.filter(({ check }) => check === 'attestation');
      return { code, found: found.map(({ status, text }) => `${status}: ${text}`) };
    };
    const absent =
      /^failed: attestation\.required is hardware, .*change ATTESTATION_PROVIDER or ATTESTATION_REQUIRED/;
    expect(await ofAttestation({ ATTESTATION_REQUIRED: 'hardware' })).toEqual({
      code: 1,
      found: [expect.stringMatching(absent)],
    });
    expect((await ofAttestation({ ATTESTATION_PROVIDER: 'dstack' })).found).toEqual([
      expect.stringMatching(/^failed: attestation\.provider is dstack/),
    ]);
    expect((await ofAttestation({ ATTESTATION_PROVIDER: 'nitriding' })).found).toEqual([
      expect.stringMatching(/^ok: Only a start asks nitriding/),
    ]);
    expect((await ofAttestation({})).found).toEqual([]);
  });

  it('accepts no unknown option, and prints its help', async () => {
    expect(await doctor(['--nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('doctor -- --help'),
    });
    const kept = { npm_lifecycle_event: 'doctor', npm_config_json: 'true' };
    expect(await doctor([], kept)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Put -- before the options: npm run doctor -- --json'),
    });
    const help = await doctor(['--help']);
    expect(help.code).toBe(0);
    for (const word of ['--json', '--strict', '--completions', '--config', '--env-file', ...checkNames])
      expect(help.stdout).toContain(word);
  });
});

describe('The doctor reports about the store', () => {
  const storeOf = async (change: Record<string, string>) => {
    const { code, report } = await readReport(change);
    const found = report.checks.filter(({ check }) => check === 'store');
    return { code, found: found.map(({ status, text }) => `${status}: ${text}`) };
  };

  it('a place that this user may write to, before the first start', async () => {
    expect((await storeOf({})).found).toEqual([
      expect.stringMatching(
        /^ok: The store .*gateway\.db does not exist yet\. The first start creates it\.$/,
      ),
    ]);
  });

  it('a place that nobody can write to', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, found } = await storeOf({ DATABASE_FILE: join(folder, 'file', 'gateway.db') });
    expect(code).toBe(1);
    const fault = /^failed: .*cannot be written .*A folder in the path is a file.*DATABASE_FILE/;
    expect(found).toEqual([expect.stringMatching(fault)]);
  });

  it.each(['', '/below'])('a folder of the devnet that is a file, with %j after its name', async (end) => {
    writeFileSync(join(folder, 'file'), '');
    const place = { DEVNET_FOLDER: `${join(folder, 'file')}${end}` };
    const { stdout } = await runGatewayCommand(['doctor'], { PORT: String(port), ...place }, folder);
    expect(stdout).toMatch(
      /^failed +store .*A folder in the path is a file\. Remove it, or set DEVNET_FOLDER/m,
    );
  });

  it('a file that is no store', async () => {
    writeFileSync(
      join(folder, 'gateway.db'),
      'no database at all, and longer than a head of one. '.repeat(50),
    );
    expect((await storeOf({})).found).toEqual([
      expect.stringMatching(/^failed: .*file is not a database.*put a backup in its place/),
    ]);
  });

  it('a database that is away, without its password', async () => {
    const url = 'postgres://user:s3cret@127.0.0.1:1/payments';
    const { found } = await storeOf({ DATABASE_URL: url, COMPLETION_KEY: `0x${'ab'.repeat(32)}` });
    expect(found).toEqual([
      expect.stringMatching(
        /^failed: The store in the database payments at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
      ),
    ]);
    expect(found.join()).not.toContain('s3cret');
  });
});
