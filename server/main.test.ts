import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  decodeReceipt,
  paymentFor,
  post,
} from './testing/payer.ts';
import { programEnvironment } from './testing/program-environment.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-main-'));
});
afterEach(() => {
  // After a failed test its process would keep running and keep its folder.
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Started = {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  firstLine(): Promise<string>;
};

/** Runs the gateway as an operator does: a process with an environment. */
function run(
  args: readonly string[],
  environment: Record<string, string> = {},
  ofNode: readonly string[] = [],
): Started {
  const child = spawn(process.execPath, [...ofNode, main, ...args], {
    cwd: folder,
    env: { ...programEnvironment, PORT: '0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [stdout, stderr] = ['', ''];
  const line = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    if (stdout.includes('\n')) line.resolve(stdout.slice(0, stdout.indexOf('\n')));
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<Awaited<Started['ended']>>((resolve) => {
    child.on('close', (code) => {
      line.resolve(stdout);
      resolve({ code, stdout, stderr });
    });
  });
  return { process: child, ended, firstLine: () => line.promise };
}

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'reports that it is ready, serves, and ends cleanly on %s',
    async (signal) => {
      const gateway = run(['--json']);
      const ready = JSON.parse(await gateway.firstLine());
      expect(ready).toMatchObject({
        event: 'ready',
        chain: { id: 84_532 },
        proofLedger: { chainId: 31_740 },
        token: { version: '1', decimals: 6 },
      });
      const keyFile = join(folder, ready.payer.keyFile);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      expect(decodeOffer(await post(`${ready.url}${chatPath}`, chatBody)).asset).toBe(ready.token.address);
      gateway.process.kill(signal);
      const { code, stderr } = await gateway.ended;
      expect(code).toBe(0);
      // The only warning: software attestation is no TEE (D-30).
      const warnings = stderr.trim().split('\n');
      expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
        { level: 40, provider: 'software', msg: expect.stringContaining('Not a TEE') },
      ]);
      // The devnet has ended too.
      await expect(fetch(ready.chain.rpcUrl)).rejects.toThrow();
      await expect(fetch(ready.proofLedger.rpcUrl)).rejects.toThrow();
      expect(existsSync(keyFile)).toBe(true);
    },
  );

  it('lets paid work end first, also when the signal comes twice, as for a process group', async () => {
    writeFileSync(join(folder, 'gateway.yaml'), 'advanced: { devnetBlockTimeSeconds: 1 }');
    const gateway = run(['--json']);
    const ready = JSON.parse(await gateway.firstLine());
    const chat = `${ready.url}${chatPath}`;
    const key = readFileSync(join(folder, ready.payer.keyFile), 'utf8').trim();
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), key);
    const paid = post(chat, chatBody, header);
    // The gateway responds to this request after it received the payment.
    await fetch(`${ready.url}/health`);
    gateway.process.kill('SIGTERM');
    gateway.process.kill('SIGTERM');
    expect((await paid).status).toBe(200);
    expect((await gateway.ended).code).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'])('ends cleanly on %s while its files are still loading', async (signal) => {
    // Sends the signal to itself when the first file of the gateway after its entry is loaded.
    const preload = `import { registerHooks } from 'node:module';
      let isSent = false;
      registerHooks({ load(url, context, next) {
        if (!isSent && url.endsWith('/start/start.ts')) { isSent = true; process.kill(process.pid, '${signal}'); }
        return next(url, context);
      } });`;
    const early = run(['--json'], {}, ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]);
    expect(await early.ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('ends cleanly on a signal while it starts, and leaves nothing running', async () => {
    const early = run(['--json']);
    // The folder appears when the start has begun, before the devnet.
    await expect.poll(() => existsSync(join(folder, '.data')), { interval: 1 }).toBe(true);
    early.process.kill('SIGTERM');
    const { code, stderr } = await early.ended;
    expect([code, stderr.split('\n').filter((line) => line !== '' && !line.includes('Not a TEE'))]).toEqual([
      0,
      [],
    ]);
    const again = run(['--json']);
    await again.firstLine();
    again.process.kill('SIGTERM');
    expect((await again.ended).code).toBe(0);
  });

  it('a second one in the same folder does not start and does not affect the first', async () => {
    // The second one waits only this long for the store.
    writeFileSync(join(folder, 'gateway.yaml'), 'advanced: { databaseBusyTimeoutMs: 100 }');
    const first = run(['--json']);
    const ready = JSON.parse(await first.firstLine());
    const keyFile = join(folder, ready.payer.keyFile);
    const key = readFileSync(keyFile, 'utf8');
    const second = await run(['--json']).ended;
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/DEVNET_FOLDER/);
    expect(readFileSync(keyFile, 'utf8')).toBe(key);
    first.process.kill('SIGTERM');
    await first.ended;
    const third = run(['--json']);
    await third.firstLine();
    third.process.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
  });

  it('prints the next commands to a person', async () => {
    const gateway = run([]);
    await gateway.firstLine();
    gateway.process.kill('SIGTERM');
    const { stdout } = await gateway.ended;
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/npm run chat -- --url http\S+ "/);
    expect(stdout).toContain('eip155:84532');
    expect(stdout).toMatch(/in 0x[0-9a-f]{40} on eip155:31740/);
  });
});

describe('the log', () => {
  it('has the request, and never a prompt, a completion, a key or a signature', async () => {
    const gateway = run(['--json'], { LOG_LEVEL: 'debug' });
    const ready = JSON.parse(await gateway.firstLine());
    const chat = `${ready.url}${chatPath}`;
    const key = readFileSync(join(folder, ready.payer.keyFile), 'utf8').trim();
    const body = { ...chatBody, messages: [{ role: 'user', content: 'Say Rumpelstiltskin.' }] };
    const header = await paymentFor(decodeOffer(await post(chat, body)), key);
    const response = await post(chat, body, { ...header, 'X-Request-Id': 'request-of-the-test' });
    expect(response.body.choices[0].message.content).toContain('Rumpelstiltskin');
    gateway.process.kill('SIGTERM');
    const { stderr } = await gateway.ended;
    expect(stderr).toContain('request-of-the-test');
    const { payload } = JSON.parse(Buffer.from(header['X-PAYMENT'] ?? '', 'base64').toString());
    const { proofId, signature } = decodeProof(response);
    const ofPayment = [key.replace('0x', ''), payload.signature, header['X-PAYMENT']];
    for (const secret of ['Rumpelstiltskin', ...ofPayment, proofId, signature]) {
      expect(stderr).not.toContain(secret);
    }
  });

  it('has a line for each sale with model, price, payer and transaction', async () => {
    const gateway = run(['--json'], { LOG_LEVEL: 'info' });
    const ready = JSON.parse(await gateway.firstLine());
    const chat = `${ready.url}${chatPath}`;
    const key = readFileSync(join(folder, ready.payer.keyFile), 'utf8').trim();
    const offer = decodeOffer(await post(chat, chatBody));
    const header = await paymentFor(offer, key);
    const response = await post(chat, chatBody, header);
    expect(response.status).toBe(200);
    expect((await post(chat, chatBody, header)).status).toBe(200);
    const poor = await paymentFor(offer, `0x${'3c'.repeat(32)}`);
    expect((await post(chat, chatBody, poor)).status).toBe(402);
    expect((await post(chat, { model: 'no/such' })).status).toBe(400);
    gateway.process.kill('SIGTERM');
    const { stderr } = await gateway.ended;
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

    const { payer } = decodeReceipt(response);
    const sold = { model: chatBody.model, price: offer.maxAmountRequired, settlementType: 'batch' };
    const paid = {
      status: 200,
      ...sold,
      payer: `${payer.slice(0, 6).toLowerCase()}…${payer.slice(-4).toLowerCase()}`,
      transaction: decodeReceipt(response).txHash,
    };
    const told = lines.filter(({ msg }) => msg === 'responded');
    expect(told).toMatchObject([
      { status: 402, ...sold, reason: 'X-PAYMENT header is required' },
      paid,
      { ...paid, replayed: true },
      { status: 402, ...sold, code: 'insufficient_funds', payer: expect.stringMatching(/^0x\w{4}…\w{4}$/) },
      { status: 400, code: 'invalid_request' },
    ]);
    expect(Object.keys(told[1])).not.toContain('code');

    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'listening', listensAt: ready.url, url: ready.url, payTo: ready.payTo }),
    );
    expect(lines.filter(({ reason }) => reason === 'SIGTERM')).toMatchObject([
      { level: 30, msg: 'shutting down', reason: 'SIGTERM' },
      { level: 30, msg: 'stopped', reason: 'SIGTERM', ms: expect.any(Number) },
    ]);
    for (const line of told) expect(JSON.stringify(line)).not.toContain(payer.toLowerCase());
  });
});

describe('a mistake of the operator gives one message and no start', () => {
  it('reports every wrong setting at once, with its variable', async () => {
    const environment = {
      PORT: 'many',
      PAY_TO: 'me',
      CHAIN_RPC_URL: 'ftp://x',
      TOKEN_ADDRESS: '0x1',
      LOG_LEVEL: 'loud',
    };
    const { code, stderr } = await run([], environment).ended;
    expect(code).toBe(2);
    for (const name of ['PORT', 'PAY_TO', 'CHAIN_RPC_URL', 'TOKEN_ADDRESS', 'LOG_LEVEL', 'tokenName']) {
      expect(stderr).toContain(name);
    }
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['a wildcard address without a public URL', [], { HOST: '0.0.0.0' }, 2, /PUBLIC_BASE_URL/],
    ['an unknown option', ['--nope'], {}, 2, /--nope/],
    ['a settings file that is missing', ['--config', 'nope.yaml'], {}, 2, /nope\.yaml/],
    ['a catalog that is missing', [], { CATALOG_FILE: 'nope.json' }, 1, /nope\.json/],
  ])('%s', async (_name, args, environment, code, sentence) => {
    const ended = await run(args, environment).ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr).not.toContain('    at ');
  });

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await run(['--json'], { PORT: String(port) }).ended;
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/PORT/);
  });
});
