import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpRpc, type HttpRpc } from './chain/http-rpc.ts';
import { createPaymentToken } from './chain/token.ts';
import { type Loaded, loadConfig } from './config/load.ts';
import { type Devnet, startDevnet } from './devnet/devnet.ts';
import { createLog } from './observe/log.ts';
import { type RunningGateway, startGateway } from './start.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import { type CountingEngine, createCountingEngine, enginesOf } from './testing/counting-engine.ts';
import { chatBody, chatPath, offerOf, paymentFor, post, receiptOf } from './testing/test-payer.ts';
import { systemClock } from './vocabulary/clock.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from './vocabulary/units.ts';

let devnet: Devnet;
let rpc: HttpRpc;
let folder: string;

beforeAll(async () => {
  devnet = await startDevnet({ chainId });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, answerBytesMax: 1_048_576 });
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-start-'));
});
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (change: Record<string, string> = {}) => ({
  PORT: '0',
  LOG_LEVEL: 'silent',
  CHAIN_RPC_URL: devnet.rpcUrl,
  TOKEN_ADDRESS: devnet.token.address,
  TOKEN_NAME: devnet.token.name,
  PAY_TO: devnet.payTo,
  RELAYER_KEY: devnet.relayerKey,
  DATABASE_FILE: join(folder, 'gateway.db'),
  ...change,
});

function settings(change: Record<string, string> = {}): Loaded {
  const loaded = loadConfig(null, environment(change));
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  return { ...loaded.value, config: { ...loaded.value.config, settlementWaitMs: 200 } };
}

async function start(change: Record<string, string> = {}, engine: CountingEngine = createCountingEngine()) {
  const engines = enginesOf(engine);
  return startGateway({ ...settings(change), environment: {}, log: createLog('silent'), engines });
}

async function started(engine: CountingEngine): Promise<RunningGateway> {
  const result = await start({}, engine);
  if (!result.ok) throw new Error(result.fault.join('\n'));
  return result.value;
}

async function balanceOf(holder: Address): Promise<bigint> {
  const balance = await createPaymentToken({ rpc, asset: devnet.token.address }).balanceOf(holder);
  if (!balance.ok) throw new Error(balance.fault.message);
  return balance.value;
}

describe('a real chain is an RPC URL, an asset, a payTo and a relayer key away', () => {
  it('serves and settles on a chain that somebody else started', async () => {
    const gateway = await started(createCountingEngine());
    const chat = `${gateway.url}${chatPath}`;
    const offer = offerOf(await post(chat, chatBody));
    const before = await balanceOf(devnet.payTo);
    const answer = await post(chat, chatBody, await paymentFor(offer, devnet.payer.privateKey));
    expect(answer.status).toBe(200);
    expect(receiptOf(answer).success).toBe(true);
    expect(await balanceOf(devnet.payTo)).toBe(before + BigInt(offer.maxAmountRequired));
    await gateway.stop();
  });

  it.each([
    ['another token name', { TOKEN_NAME: 'Other Token' }, /Other Token/],
    ['an asset without code', { TOKEN_ADDRESS: `0x${'44'.repeat(20)}` }, /0x4444/],
    ['a node that is not there', { CHAIN_RPC_URL: 'http://127.0.0.1:1' }, /./],
  ])('does not start on %s, and says so', async (_name, change, sentence) => {
    const result = await start(change);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.fault.join('\n')).toMatch(sentence);
  });
});

describe('what a crash left is taken up at the next start', () => {
  it('work that was done and not settled is settled once, and the same payment gets its answer', async () => {
    const engine = createCountingEngine();
    const first = await started(engine);
    const offer = offerOf(await post(`${first.url}${chatPath}`, chatBody));
    const header = await paymentFor(offer, devnet.payer.privateKey);
    const before = await balanceOf(devnet.payer.address);
    await rpc.call('evm_setAutomine', [false]);
    const pending = await post(`${first.url}${chatPath}`, chatBody, header);
    expect(pending.body.error.code).toBe('settlement_pending');
    await first.stop();
    await rpc.call('evm_setAutomine', [true]);
    await rpc.call('evm_mine', []);
    const second = await started(engine);
    const ask = () => post(`${second.url}${chatPath}`, chatBody, header);
    await expect.poll(ask, { timeout: 5_000 }).toMatchObject({ status: 200 });
    expect(engine.runs).toBe(1);
    expect(await balanceOf(devnet.payer.address)).toBe(before - BigInt(offer.maxAmountRequired));
    await second.stop();
  });

  it('a reservation without work is given back', async () => {
    const { config } = settings();
    const store = await openSqliteStore({
      path: config.databaseFile,
      clock: systemClock,
      busyTimeoutMs: 1_000,
      balanceAgeMaxSeconds: 1_000,
    });
    const payer = await devnet.fundPayer(atomicAmount(10n));
    const now = unixSeconds(1_800_000_000);
    const authorization = {
      from: payer.address,
      to: devnet.payTo,
      value: atomicAmount(10n),
      validAfter: 0n,
      validBefore: 1_900_000_000n,
      nonce: `0x${'77'.repeat(32)}` as Bytes32,
    };
    const claim = {
      asset: devnet.token.address,
      authorization,
      signature: `0x${'00'.repeat(65)}` as Hex,
      fingerprint: 'a request of the last run',
      settlementType: 'batch' as const,
      leaseUntil: unixSeconds(now + 120),
    };
    const reading = { balance: atomicAmount(10n), block: 1, readAt: now };
    const reserved = await store.reserve(claim, reading, now);
    expect(reserved.kind).toBe('reserved');
    await store.close();
    await (await started(createCountingEngine())).stop();
    const reopened = await openSqliteStore({
      path: config.databaseFile,
      clock: systemClock,
      busyTimeoutMs: 1_000,
      balanceAgeMaxSeconds: 1_000,
    });
    expect(await reopened.lookUp(claim.asset, payer.address, authorization.nonce)).toMatchObject({
      state: 'released',
    });
    expect((await reopened.reserve(claim, reading, now)).kind).toBe('reserved');
    await reopened.close();
  });
});

describe('stopping', () => {
  it('lets a paid request under way end, and takes no new one', async () => {
    const engine = createCountingEngine();
    const gateway = await started(engine);
    const chat = `${gateway.url}${chatPath}`;
    const header = await paymentFor(offerOf(await post(chat, chatBody)), devnet.payer.privateKey);
    const running = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { answering } = engine;
    engine.answering = async (task, limits) => {
      running.resolve();
      await release.promise;
      return answering(task, limits);
    };
    const paid = post(chat, chatBody, header);
    await running.promise;
    const stopped = gateway.stop();
    await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
    release.resolve();
    expect((await paid).status).toBe(200);
    await stopped;
  });
});
