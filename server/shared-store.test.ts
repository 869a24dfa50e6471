import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId, headerNames } from '@paid-inference/contract/constants';
import { decodeInferenceProof } from '@paid-inference/contract/headers';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Contract, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpRpc, type HttpRpc } from './chain/http-rpc.ts';
import { createPaymentToken } from './chain/token.ts';
import { loadConfig } from './config/load.ts';
import { type Devnet, startDevnet } from './devnet/devnet.ts';
import { createLog } from './observe/log.ts';
import { type RunningGateway, startGateway } from './start/start.ts';
import { type CountingEngine, createCountingEngine, createEngines } from './testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from './testing/payer.ts';
import { ledgerEnvironment } from './testing/proof/ledger-environment.ts';
import { shareTestServer, type TestServer } from './testing/store/postgres-server.ts';
import { atomicAmount } from './types/units.ts';

// Two gateways with one relayer key, one store and one chain.
let devnet: Devnet;
let rpc: HttpRpc;
let server: TestServer;
let folder: string;
let gateways: readonly RunningGateway[];
let engine: CountingEngine;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-shared-'));
  devnet = await startDevnet({ chainId });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  server = await shareTestServer();
  const url = await server.createDatabase();
  engine = createCountingEngine();
  gateways = await Promise.all([start(url), start(url)]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await server.remove();
  await rpc.close();
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(url: string): Promise<RunningGateway> {
  const loaded = loadConfig(null, {
    PORT: '0',
    LOG_LEVEL: 'silent',
    PUBLIC_BASE_URL: 'https://gateway.example',
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
    DATABASE_URL: url,
    COMPLETION_KEY: `0x${'ab'.repeat(32)}`,
  });
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  const config = {
    ...loaded.value.config,
    addressRateLimit: null,
    payerRateLimit: null,
    refusalRateLimit: null,
  };
  const engines = createEngines(engine);
  const started = await startGateway({
    ...loaded.value,
    config,
    environment: {},
    log: createLog('silent'),
    engines,
  });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  return started.value;
}

const chats = () => gateways.map((gateway) => `${gateway.listensAt}${chatPath}`);

it('one authorization at both gateways runs once and settles once (D-18, D-19)', async () => {
  const [one = '', other = ''] = chats();
  const offer = decodeOffer(await post(one, chatBody));
  const header = await paymentFor(offer, devnet.payer.privateKey);
  const token = createPaymentToken({ rpc, asset: devnet.token.address });
  const before = await token.balanceOf(devnet.payTo);
  engine.runs = 0;
  const ask = (at: string) => expect.poll(() => post(at, chatBody, header));
  await Promise.all([
    ...Array.from({ length: 10 }, () => ask(one).toMatchObject({ status: 200 })),
    ...Array.from({ length: 10 }, () => ask(other).toMatchObject({ status: 200 })),
  ]);
  expect(engine.runs).toBe(1);
  const after = await token.balanceOf(devnet.payTo);
  if (!before.ok || !after.ok) throw new Error('no balance');
  expect(after.value - before.value).toBe(BigInt(offer.maxAmountRequired));
});

it('twenty authorizations for one request at both gateways run once and settle one payment (D-258)', async () => {
  const [one = '', other = ''] = chats();
  const offer = decodeOffer(await post(one, chatBody));
  const price = BigInt(offer.maxAmountRequired);
  const payer = await devnet.fundPayer(atomicAmount(20n * price));
  engine.runs = 0;
  const responses = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const chat = index % 2 === 0 ? one : other;
      const header = await paymentFor(offer, payer.privateKey);
      await expect.poll(() => post(chat, chatBody, header)).toMatchObject({ status: 200 });
      return { header, receipt: decodeReceipt(await post(chat, chatBody, header)) };
    }),
  );
  expect(new Set(responses.map(({ receipt }) => receipt.txHash)).size).toBe(1);
  expect(engine.runs).toBe(1);
  const token = createPaymentToken({ rpc, asset: devnet.token.address });
  const left = await token.balanceOf(payer.address);
  expect(left.ok && left.value).toBe(19n * price);
});

it('the sales of both are recorded on the proof ledger once, by one of them', async () => {
  const offer = decodeOffer(await post(chats()[0] ?? '', chatBody));
  const sold = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const headers = {
        ...(await paymentFor(offer, devnet.payer.privateKey)),
        [headerNames.settlementType]: 'individual',
        // Another key is another purchase (D-258).
        [headerNames.idempotencyKey]: `${index}`,
      };
      const chat = chats()[index % 2] ?? '';
      await expect.poll(() => post(chat, chatBody, headers)).toMatchObject({ status: 200 });
      // A replay has the proof of the completion that it repeats.
      const response = await post(chat, chatBody, headers);
      const proof = decodeInferenceProof(response.headers.get(headerNames.inferenceProof) ?? '');
      return proof.ok ? proof.value : null;
    }),
  );
  const { rpcUrl, chainId: ledgerId, contract } = devnet.ledger;
  const provider = new JsonRpcProvider(rpcUrl, ledgerId, { staticNetwork: true, cacheTimeout: -1 });
  const ledger = new Contract(contract, inferenceLedgerAbi, provider);
  const recorded = async () =>
    (await ledger.queryFilter('InferenceRecorded', 0, 'latest')).map(({ topics }) => topics[1]);
  await expect.poll(recorded).toHaveLength(6);
  expect((await recorded()).toSorted()).toEqual(sold.map((proof) => proof?.proofId).toSorted());
  // Each gateway has its own enclave key, and one of them has registered both.
  expect(new Set(sold.map((proof) => proof?.signer)).size).toBe(2);
  provider.destroy();
});

it('of twenty authorizations over both gateways, a balance for five pays for five (D-21)', async () => {
  const [one = '', other = ''] = chats();
  const offer = decodeOffer(await post(one, chatBody));
  const payer = await devnet.fundPayer(atomicAmount(5n * BigInt(offer.maxAmountRequired)));
  const headers = await Promise.all(Array.from({ length: 20 }, () => paymentFor(offer, payer.privateKey)));
  const judged = Promise.withResolvers<void>();
  const { answering } = engine;
  engine.answering = async (task, limits) => {
    await judged.promise;
    return answering(task, limits);
  };
  let refused = 0;
  const responses = headers.map(async (header, index) => {
    const keyed = { ...header, [headerNames.idempotencyKey]: `${index}` };
    const response = await post(index % 2 === 0 ? one : other, chatBody, keyed);
    if (response.status === 402 && ++refused === 15) judged.resolve();
    return response.status;
  });
  expect((await Promise.all(responses)).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(402)]);
});
