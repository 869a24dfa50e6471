import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Contract, computeAddress, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { type CountingEngine, createCountingEngine } from '../testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';
import { connectRaw, statusesIn } from '../testing/raw-client.ts';
import { startUnreliableNode } from '../testing/settlement/unreliable-node.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';

let gateways: StartedGateways;
let devnet: Devnet;

beforeAll(async () => {
  gateways = await openStartedGateways();
  devnet = gateways.devnet;
});
afterAll(() => gateways.close());

describe('a real chain needs an RPC URL, an asset, a payTo and a relayer key', () => {
  it('serves and settles on a chain that already runs', async () => {
    const gateway = await gateways.started(createCountingEngine());
    const chat = `${gateway.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const before = await gateways.balanceOf(devnet.payTo);
    const response = await post(chat, chatBody, await paymentFor(offer, devnet.payer.privateKey));
    expect(response.status).toBe(200);
    expect(decodeReceipt(response).success).toBe(true);
    expect(await gateways.balanceOf(devnet.payTo)).toBe(before + BigInt(offer.maxAmountRequired));
    await gateway.stop();
  });

  it('serves through any RPC endpoint that responds, and is not ready when none does (D-59)', async () => {
    const node = await startUnreliableNode(devnet.rpcUrl);
    const result = await gateways.start({ CHAIN_RPC_URL: `http://127.0.0.1:1/s3cret, ${node.url}/s3cret` });
    if (!result.ok) throw new Error(result.fault.join('\n'));
    const chat = `${result.value.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    expect((await post(chat, chatBody, await paymentFor(offer, devnet.payer.privateKey))).status).toBe(200);
    const ready = () => fetch(`${result.value.url}/ready`);
    expect((await ready()).status).toBe(200);
    node.conduct = () => 'fails';
    await expect.poll(async () => (await ready()).status).toBe(503);
    const told = await (await ready()).text();
    expect(told).toMatch(/the chain does not answer/);
    expect(told).not.toContain('s3cret');
    await result.value.stop();
    await node.close();
  });

  it('is ready when one relayer of two lacks ether, and names that relayer', async () => {
    const key = `0x${'3c'.repeat(32)}`;
    const result = await gateways.start({ RELAYER_KEY: `${devnet.relayerKey},${key}` });
    if (!result.ok) throw new Error(result.fault.join('\n'));
    const poor = computeAddress(key).toLowerCase();
    const ready = () =>
      fetch(`${result.value.url}/ready`).then(async (response) => [response.status, await response.text()]);
    expect(await ready()).toEqual([200, expect.stringContaining(`the relayer ${poor} has too little ether`)]);
    await result.value.stop();
    const alone = await gateways.start({ RELAYER_KEY: key });
    if (!alone.ok) throw new Error(alone.fault.join('\n'));
    const response = await fetch(`${alone.value.url}/ready`);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining(poor)]);
    await alone.value.stop();
  });

  it.each([
    ['another token name', { TOKEN_NAME: 'Other Token' }, /Other Token/],
    ['an asset without code', { TOKEN_ADDRESS: `0x${'44'.repeat(20)}` }, /0x4444/],
    ['a node that is down', { CHAIN_RPC_URL: 'http://127.0.0.1:1' }, /./],
    ['a proof ledger on another chain', { PROOF_LEDGER_CHAIN_ID: '5' }, /PROOF_LEDGER_CHAIN_ID/],
    ['no proof ledger contract', { PROOF_LEDGER_CONTRACT: `0x${'44'.repeat(20)}` }, /PROOF_LEDGER_CONTRACT/],
  ])('does not start on %s, and reports it', async (_name, change, sentence) => {
    const result = await gateways.start(change);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.fault.join('\n')).toMatch(sentence);
  });
});

describe('a proof ledger that is down', () => {
  it('stops neither the start nor a purchase', async () => {
    const result = await gateways.start({ PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:1' });
    if (!result.ok) throw new Error(result.fault.join('\n'));
    const chat = `${result.value.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const response = await post(chat, chatBody, await paymentFor(offer, devnet.payer.privateKey));
    expect(response.status).toBe(200);
    const readiness = async () => {
      const told = await fetch(`${result.value.url}/ready`);
      return { status: told.status, body: await told.json() };
    };
    const detail = expect.stringMatching(/the proof ledger's node does not respond/);
    const checks = expect.arrayContaining([{ name: 'proofs', ready: true, detail }]);
    await expect.poll(readiness).toEqual({ status: 200, body: { status: 'ready', checks } });
    await result.value.stop();
  });

  it('stops neither if it accepts every call without a response, at any call timeout', async () => {
    const node = await startUnreliableNode(devnet.ledger.rpcUrl);
    node.conduct = () => 'hangs';
    // With this timeout, a start that waits for a call would fail the test.
    const more = { rpcTimeoutMs: 3_600_000, shutdownTimeoutMs: 200 };
    const change = { PROOF_LEDGER_RPC_URL: node.url };
    const result = await gateways.start(change, createCountingEngine(), 10_000, more);
    if (!result.ok) throw new Error(result.fault.join('\n'));
    const chat = `${result.value.url}${chatPath}`;
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), devnet.payer.privateKey);
    expect((await post(chat, chatBody, header)).status).toBe(200);
    expect(node.calls).toContain('eth_chainId');
    await result.value.stop();
    await node.close();
  });
});

it('does not start on the store of another token, reports it, and leaves the store as it is (D-67)', async () => {
  const storeFile = { DATABASE_FILE: join(gateways.folder, 'of-one-token.db') };
  const first = await gateways.start(storeFile);
  if (!first.ok) throw new Error(first.fault.join('\n'));
  await first.value.stop();
  const other = await startDevnet({ chainId });
  const elsewhere = {
    CHAIN_RPC_URL: other.rpcUrl,
    TOKEN_ADDRESS: other.token.address,
    RELAYER_KEY: other.relayerKey,
  };
  const refused = await gateways.start({ ...storeFile, ...elsewhere });
  expect(refused.ok ? [] : refused.fault).toEqual([
    expect.stringContaining(
      `the store belongs to token ${devnet.token.address} on chain ${chainId}, and the gateway is set to token ${other.token.address}`,
    ),
  ]);
  await other.stop();
  const again = await gateways.start(storeFile);
  if (!again.ok) throw new Error(again.fault.join('\n'));
  await again.value.stop();
});

describe('D-141: only one gateway at a time uses a store file', () => {
  it('does not start on the store of a running gateway, and names the file and a remedy', async () => {
    const gateway = await gateways.started(createCountingEngine());
    const second = await gateways.start({}, createCountingEngine(), 10_000, { databaseBusyTimeoutMs: 100 });
    const { databaseFile } = gateways.settings().config;
    const sentence = `Another gateway uses the store ${databaseFile}; its lock ${databaseFile}.lock is held. Stop that gateway, or set DATABASE_FILE to another place.`;
    expect(second).toEqual({ ok: false, fault: [sentence] });
    await gateway.stop();
  });

  it('starts when the other gateway releases the store in time', async () => {
    const gateway = await gateways.started(createCountingEngine());
    const second = gateways.start({}, createCountingEngine(), 10_000, { databaseBusyTimeoutMs: 30_000 });
    await gateway.stop();
    const started = await second;
    if (!started.ok) throw new Error(started.fault.join('\n'));
    await started.value.stop();
  });
});

/** Lets the next inference begin, and not end before `release`. */
function holdInference(engine: CountingEngine) {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { answering } = engine;
  engine.answering = async (task, limits) => {
    running.resolve();
    await release.promise;
    return answering(task, limits);
  };
  return { running, release };
}

describe('stopping', () => {
  it('records the proofs of an incomplete batch', async () => {
    const gateway = await gateways.started(createCountingEngine());
    const chat = `${gateway.url}${chatPath}`;
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), devnet.payer.privateKey);
    expect((await post(chat, chatBody, header)).status).toBe(200);
    const { rpcUrl, chainId: ledgerId, contract } = devnet.ledger;
    const provider = new JsonRpcProvider(rpcUrl, ledgerId, { staticNetwork: true, cacheTimeout: -1 });
    const ledger = new Contract(contract, inferenceLedgerAbi, provider);
    const batches = () => ledger.queryFilter('BatchRecorded', 0, 'latest');
    const before = (await batches()).length;
    await gateway.stop();
    expect(await batches()).toHaveLength(before + 1);
    provider.destroy();
  });

  it('lets a paid request in progress end, and accepts no new one', async () => {
    const engine = createCountingEngine();
    const gateway = await gateways.started(engine);
    const chat = `${gateway.url}${chatPath}`;
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), devnet.payer.privateKey);
    const { running, release } = holdInference(engine);
    const paid = post(chat, chatBody, header);
    await running.promise;
    const stopped = gateway.stop();
    await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
    release.resolve();
    expect((await paid).status).toBe(200);
    await stopped;
  });

  it('responds to the requests that wait behind one in progress (D-198)', async () => {
    const engine = createCountingEngine();
    const gateway = await gateways.started(engine);
    const chat = `${gateway.url}${chatPath}`;
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), devnet.payer.privateKey);
    const { running, release } = holdInference(engine);
    const body = JSON.stringify(chatBody);
    const fields = Object.entries({
      Host: 'x',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    const lines = [...fields, ...Object.entries(header)].map(([name, value]) => `${name}: ${value}\r\n`);
    const { write, readAll } = await connectRaw(gateway.url);
    write(`POST ${chatPath} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await running.promise;
    const stopped = gateway.stop();
    release.resolve();
    expect(statusesIn(await readAll())).toEqual([200, 200, 200]);
    await stopped;
  });
});
