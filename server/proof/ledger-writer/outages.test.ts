import { id } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpRpc } from '../../chain/http-rpc.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import type { Conduct } from '../../testing/settlement/unreliable-node.ts';
import { batchTree } from '../batch-tree.ts';

// Several steps one after the other, each of which a busy machine may take its time for.
vi.setConfig({ testTimeout: 90_000 });

let bench: WriterBench;
let writing: Writing;

beforeAll(async () => {
  bench = await startWriterBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  writing = await bench.open();
});
afterEach(() => writing.close());

const patience = { timeout: 30_000 } as const;
const until = (count: number) => expect.poll(() => writing.recorded(), patience).toHaveLength(count);
const ids = (proofs: readonly SignedProof[]) => proofs.map(({ proofId }) => proofId);
const rounds = async (count: number) => {
  const before = bench.node.calls.length;
  await expect.poll(() => bench.node.calls.length, patience).toBeGreaterThan(before + count);
};

describe('A ledger network that fails is caught up with, everything once', () => {
  it.each<Conduct>(['hangs', 'fails', 'babbles'])('when the node %s for a while', async (conduct) => {
    bench.node.conduct = () => conduct;
    const writer = writing.start();
    const single = await writing.prove('individual', 2);
    const batch = await writing.prove('batch', 4);
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/does not answer/);
    bench.node.conduct = () => 'sound';
    await until(3);
    expect(await writing.recorded()).toEqual([...ids(single), batchTree(batch).root]);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it.each(['eth_getTransactionCount', 'eth_sendRawTransaction', 'eth_getTransactionReceipt', 'eth_getLogs'])(
    'when every first and second answer of %s is lost',
    async (method) => {
      let asked = 0;
      bench.node.conduct = (each) => (each === method && ++asked % 3 !== 0 ? 'loses-answer' : 'sound');
      const single = await writing.prove('individual', 2);
      const batch = await writing.prove('batch', 4);
      writing.start();
      await until(3);
      const recorded = [...ids(single), batchTree(batch).root];
      await expect.poll(() => writing.store.recordedInclusions(10), patience).toHaveLength(2);
      expect(await writing.recorded()).toEqual(recorded);
    },
  );

  it('says so once, and not with every try, and says when it is over', async () => {
    bench.node.conduct = () => 'fails';
    const writer = writing.start();
    await rounds(10);
    expect(writing.warnings.filter((sentence) => sentence.startsWith('proofs wait'))).toHaveLength(1);
    bench.node.conduct = () => 'sound';
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
    expect(writing.warnings.filter((sentence) => sentence.startsWith('proofs wait'))).toHaveLength(1);
  });

  it('tries again after pauses that grow', async () => {
    bench.node.conduct = () => 'fails';
    const times: number[] = [];
    bench.node.conduct = (method) => {
      if (method === 'eth_chainId') times.push(performance.now());
      return 'fails';
    };
    writing.start({ limits: { retryMs: 40, retryMsMax: 160 } });
    await expect.poll(() => times.length, patience).toBeGreaterThanOrEqual(5);
    const pauses = times.slice(1, 5).map((time, at) => time - (times[at] ?? 0));
    for (const [at, least] of [40, 80, 160, 160].entries()) expect(pauses[at]).toBeGreaterThan(least - 2);
  });

  it('does not hold up the end of the gateway', async () => {
    await writing.prove('batch', 1);
    bench.node.conduct = () => 'hangs';
    // Whoever waited for the deadline of a call would wait for longer than any test.
    const rpc = createHttpRpc({ url: bench.node.url, timeoutMs: 3_600_000, answerBytesMax: 1_000 });
    const before = bench.node.calls.length;
    const writer = writing.start({ rpc });
    await expect.poll(() => bench.node.calls.length).toBeGreaterThan(before);
    await writer.close(200);
    await rpc.close();
    expect(await writing.store.backlog()).toMatchObject({ batch: 1 });
  });
});

describe('What the relayer cannot do is said, and done once it can', () => {
  it('without ether', async () => {
    await bench.chain('anvil_setBalance', writing.relayer.address, '0x0');
    const proofs = await writing.prove('batch', 4);
    const writer = writing.start();
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/too little ether/);
    await bench.chain('anvil_setBalance', writing.relayer.address, '0xde0b6b3a7640000');
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(proofs).root]);
  });

  it('without the role that records, and not one transaction is spent on trying', async () => {
    await writing.asAdmin('revokeRole', id('RELAYER'), writing.relayer.address);
    await writing.prove('batch', 4);
    await writing.prove('individual', 1);
    const writer = writing.start();
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/lacks a role/);
    await rounds(30);
    // The key may still be registered.
    expect(writing.sent().length).toBeLessThanOrEqual(1);
    await writing.asAdmin('grantRole', id('RELAYER'), writing.relayer.address);
    await until(2);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it('without the role that registers keys: batches go on, and inferences wait for the admin', async () => {
    await writing.asAdmin('revokeRole', id('REGISTRAR'), writing.relayer.address);
    const batch = await writing.prove('batch', 4);
    const [single] = await writing.prove('individual', 1);
    const writer = writing.start();
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(batch).root]);
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/lacks a role/);
    await writing.asAdmin('registerEnclaveKey', single?.signer, `0x${'ab'.repeat(32)}`, 'software');
    writing.ledger.clock.advance(1);
    await until(2);
    expect((await writing.recorded()).at(-1)).toBe(single?.proofId);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });
});

describe('A node that turns out to be another', () => {
  it('gets nothing, and is named', async () => {
    bench.node.rewrite = (method, _body, text) =>
      method === 'eth_chainId' ? text.replace(/0x[0-9a-f]+/, '0x1') : text;
    await writing.prove('batch', 4);
    const writer = writing.start();
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/serves chain 1/);
    await rounds(10);
    expect(writing.sent()).toEqual([]);
    bench.node.rewrite = (_method, _body, text) => text;
    await until(1);
  });
});
