import { id } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpRpc } from '../../chain/http-rpc.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import type { Conduct } from '../../testing/settlement/unreliable-node.ts';
import { batchTree } from '../merkle-tree.ts';

// Each test has several steps, and a busy machine may be slow at each.
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

describe('An outage of the proof ledger', () => {
  it.each<Conduct>(['hangs', 'fails', 'babbles'])(
    'delays records, and loses and repeats none, when the node %s for a while',
    async (conduct) => {
      bench.node.conduct = () => conduct;
      const writer = writing.start();
      const single = await writing.prove('individual', 2);
      const batch = await writing.prove('batch', 4);
      await expect.poll(() => writer.healthIssue(), patience).toMatch(/does not respond/);
      bench.node.conduct = () => 'sound';
      await until(3);
      expect(await writing.recorded()).toEqual([...ids(single), batchTree(batch).root]);
      await expect.poll(() => writer.healthIssue(), patience).toBe(null);
    },
  );

  it.each(['eth_getTransactionCount', 'eth_sendRawTransaction', 'eth_getTransactionReceipt', 'eth_getLogs'])(
    'delays records, and loses and repeats none, when two of three responses to %s are lost',
    async (method) => {
      let asked = 0;
      bench.node.conduct = (each) => (each === method && ++asked % 3 !== 0 ? 'loses-response' : 'sound');
      const single = await writing.prove('individual', 2);
      const batch = await writing.prove('batch', 4);
      writing.start();
      await until(3);
      const recorded = [...ids(single), batchTree(batch).root];
      await expect
        .poll(() => writing.store.recordedInclusions(writing.ledgerName, 10), patience)
        .toHaveLength(2);
      expect(await writing.recorded()).toEqual(recorded);
    },
  );

  it('is logged once, not for each attempt', async () => {
    bench.node.conduct = () => 'fails';
    const writer = writing.start();
    await rounds(10);
    expect(
      writing.warnings.filter((sentence) => sentence.startsWith('proofs are not recorded')),
    ).toHaveLength(1);
    bench.node.conduct = () => 'sound';
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
    expect(
      writing.warnings.filter((sentence) => sentence.startsWith('proofs are not recorded')),
    ).toHaveLength(1);
  });

  it('causes retries after growing pauses', async () => {
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

  it('does not delay the end of the gateway', async () => {
    await writing.prove('batch', 1);
    bench.node.conduct = () => 'hangs';
    // A writer that waited for the deadline of a call would exceed the timeout of the test.
    const rpc = createHttpRpc({ url: bench.node.url, timeoutMs: 3_600_000, responseBytesMax: 1_000 });
    const before = bench.node.calls.length;
    const writer = writing.start({ rpc });
    await expect.poll(() => bench.node.calls.length).toBeGreaterThan(before);
    await writer.close(200);
    await rpc.close();
    expect(await writing.store.backlog(writing.ledgerName)).toMatchObject({ batch: 1 });
  });
});

describe('A relayer that cannot record reports why, and records once it can', () => {
  it('without ether', async () => {
    await bench.chain('anvil_setBalance', writing.relayer.address, '0x0');
    const proofs = await writing.prove('batch', 4);
    const writer = writing.start();
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/too little ether/);
    await bench.chain('anvil_setBalance', writing.relayer.address, '0xde0b6b3a7640000');
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(proofs).root]);
  });

  it('without the role that records, and sends no transaction for it', async () => {
    await writing.asAdmin('revokeRole', id('RELAYER'), writing.relayer.address);
    await writing.prove('batch', 4);
    await writing.prove('individual', 1);
    const writer = writing.start();
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/lacks a role/);
    await rounds(30);
    // The registration of the key is still allowed.
    expect(writing.sent().length).toBeLessThanOrEqual(1);
    await writing.asAdmin('grantRole', id('RELAYER'), writing.relayer.address);
    await until(2);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it('without the role that registers keys: records batches, and individual proofs after the admin registered the key', async () => {
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

describe('A node that serves another chain', () => {
  it('gets no transaction, and is reported', async () => {
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
