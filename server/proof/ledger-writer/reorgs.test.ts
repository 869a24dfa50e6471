import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import { batchTree } from '../merkle-tree.ts';

// Each test has several steps, and a busy machine may be slow at each.
vi.setConfig({ testTimeout: 90_000 });

let bench: WriterBench;
let writing: Writing;

beforeAll(async () => {
  bench = await startWriterBench('kept');
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  writing = await bench.open();
});
afterEach(() => writing.close());

const patience = { timeout: 30_000 } as const;
const until = (count: number) => expect.poll(() => writing.recorded(), patience).toHaveLength(count);
const inclusions = () => writing.store.recordedInclusions(writing.ledgerName, 100);
/** Removes blocks with all their transactions. */
const forget = async (blocks: number) => bench.chain('anvil_reorg', blocks, []);

describe("A reorganisation of the proof ledger's chain", () => {
  it('that removes records makes the writer record all again once, with the key', async () => {
    const [single] = await writing.prove('individual', 1);
    const batch = await writing.prove('batch', 4);
    const writer = writing.start();
    await until(2);
    await expect.poll(inclusions, patience).toHaveLength(2);
    const before = await inclusions();
    // The key, the inference and the batch are in one block each.
    // The failing node keeps the writer from checking before the test has checked.
    bench.node.conduct = () => 'fails';
    await forget(3);
    expect(await writing.events()).toEqual([]);
    bench.node.conduct = () => 'sound';
    await until(2);
    expect(await writing.recorded()).toEqual([single?.proofId, batchTree(batch).root]);
    expect((await writing.events()).map(([name]) => name)).toEqual([
      'EnclaveKeyRegistered',
      'InferenceRecorded',
      'BatchRecorded',
    ]);
    // The store now has the new blocks.
    await expect
      .poll(async () => (await inclusions()).map(({ blockHash }) => blockHash), patience)
      .not.toEqual(before.map(({ blockHash }) => blockHash));
    await expect.poll(inclusions, patience).toHaveLength(2);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it('that moves a record into another block keeps the record and updates its block', async () => {
    const batch = await writing.prove('batch', 4);
    writing.start();
    await until(1);
    await expect.poll(inclusions, patience).toHaveLength(1);
    const [before] = await inclusions();
    const raw = writing.raw().at(-1);
    await bench.chain('anvil_reorg', 1, [[raw, 0]]);
    await expect.poll(async () => (await inclusions())[0]?.blockHash, patience).not.toBe(before?.blockHash);
    await expect.poll(inclusions, patience).toHaveLength(1);
    expect(await writing.recorded()).toEqual([batchTree(batch).root]);
  });
});

it('A node that shows no receipts removes no record, and causes no further transaction (D-207)', async () => {
  await writing.prove('individual', 1);
  await writing.prove('batch', 4);
  writing.start();
  await until(2);
  await expect.poll(inclusions, patience).toHaveLength(2);
  const [before, sent] = [await inclusions(), writing.raw().length];
  const warned = vi.spyOn(writing.store, 'reopenRecorded');
  let receipts = 0;
  bench.node.rewrite = (method, _body, response) => {
    if (method !== 'eth_getTransactionReceipt') return response;
    receipts += 1;
    return JSON.stringify({ ...JSON.parse(response), result: null });
  };
  await expect.poll(() => receipts, patience).toBeGreaterThan(8);
  bench.node.rewrite = (_method, _body, response) => response;
  expect(warned).not.toHaveBeenCalled();
  expect(await inclusions()).toEqual(before);
  expect(writing.raw()).toHaveLength(sent);
});

describe('A final record', () => {
  it('is not checked again, and neither is a final registration', async () => {
    await writing.prove('individual', 1);
    await writing.prove('batch', 4);
    writing.start();
    await until(2);
    await expect.poll(inclusions, patience).toHaveLength(2);
    expect(await writing.store.unregisteredSigners(10)).toHaveLength(1);
    // Anvil finalizes a block when 64 blocks follow it.
    await bench.chain('anvil_mine', '0x46');
    await expect.poll(inclusions, patience).toEqual([]);
    await expect.poll(() => writing.store.unregisteredSigners(10), patience).toEqual([]);
  });
});

describe('Finality on a proof ledger without finalized blocks', () => {
  const refusal = { code: -32_602, message: 'unknown block tag' };

  it.each([
    ['rejects the block tag', { error: refusal }],
    ['returns no such block', { result: null }],
  ])('counts by depth when the node %s, for records and keys (D-91)', async (_how, said) => {
    bench.node.rewrite = (method, body, text) =>
      method === 'eth_getBlockByNumber' && body.includes('finalized') ? responseTo(body, said) : text;
    await writing.prove('individual', 1);
    await writing.prove('batch', 4);
    writing.start({ limits: { finalityBlocks: 5 } });
    await until(2);
    await expect.poll(inclusions, patience).toHaveLength(2);
    expect(await writing.store.unregisteredSigners(10)).toHaveLength(1);
    await bench.chain('anvil_mine', '0x5');
    await expect.poll(inclusions, patience).toEqual([]);
    await expect.poll(() => writing.store.unregisteredSigners(10), patience).toEqual([]);
  });

  it('never falls back to depth once the node named a finalized block (D-91)', async () => {
    await writing.prove('individual', 1);
    let named = 0;
    let refused = 0;
    bench.node.rewrite = (method, body, text) => {
      if (method !== 'eth_getBlockByNumber' || !body.includes('finalized')) return text;
      named += 1;
      if (named < 3) return text;
      refused += 1;
      return responseTo(body, { error: refusal });
    };
    writing.start({ limits: { finalityBlocks: 1 } });
    await expect.poll(inclusions, patience).toHaveLength(1);
    await bench.chain('anvil_mine', '0x5');
    await expect.poll(() => refused, patience).toBeGreaterThan(5);
    expect(await inclusions()).toHaveLength(1);
  });

  function responseTo(body: string, said: object): string {
    return JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, ...said });
  }
});

describe('More records than one round checks', () => {
  it('are all checked: the newest is made again after a reorganisation, and all become final', async () => {
    const writer = writing.start({ limits: { pageMax: 2 } });
    const proofs = [];
    // One transaction for each proof.
    for (let count = 1; count <= 5; count++) {
      proofs.push(...(await writing.prove('individual', 1)));
      await until(count);
    }
    await expect.poll(inclusions, patience).toHaveLength(5);
    const before = (await inclusions()).at(-1);
    await forget(1);
    await until(5);
    await expect
      .poll(async () => (await inclusions()).map(({ blockHash }) => blockHash), patience)
      .not.toContain(before?.blockHash);
    await expect.poll(inclusions, patience).toHaveLength(5);
    await bench.chain('anvil_mine', '0x46');
    await expect.poll(inclusions, patience).toEqual([]);
    const entries = await Promise.all(proofs.map(({ proofId }) => writing.store.findProof(proofId)));
    for (const entry of entries) expect(entry?.inclusion).not.toBe(null);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });
});
