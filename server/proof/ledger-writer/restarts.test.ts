import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignedProof } from '../../store/proof-store.ts';
import type { OpenStore } from '../../store/store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import { leaseFor, now } from '../../testing/store/claims.ts';
import { unixSeconds } from '../../types/units.ts';
import { batchTree } from '../merkle-tree.ts';
import type { LedgerWriter } from './ledger-writer.ts';

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
afterEach(async () => {
  await bench.chain('evm_setAutomine', true);
  await writing.close();
});

const patience = { timeout: 30_000 } as const;
const until = (count: number) => expect.poll(() => writing.recorded(), patience).toHaveLength(count);
const ids = (proofs: readonly SignedProof[]) => proofs.map(({ proofId }) => proofId);
/** Waits until the store has all records, so that the writer sends nothing more. */
const atRest = () =>
  expect
    .poll(
      async () => [
        await writing.store.backlog(writing.ledgerName),
        await writing.store.openBatches(writing.ledgerName, 10),
      ],
      {
        timeout: 30_000,
      },
    )
    .toEqual([{ individual: 0, batch: 0, batchSince: null }, []]);
/** Records an inference and thereby registers the key: the next transaction is that of a batch. */
async function oneIsRecorded(): Promise<void> {
  await writing.prove('individual', 1);
  await until(1);
}
const sentTo = (method: string) =>
  writing.sent().filter(({ data }) => data.startsWith(bench.computeSelector(method)));

type Step = keyof OpenStore;

/** A store whose process dies at a step: before the step, or after the step without its response. */
function dyingAt(store: OpenStore, step: Step, when: 'before' | 'after', die: () => void): OpenStore {
  const real = store[step] as (...parameters: unknown[]) => Promise<unknown>;
  return {
    ...store,
    async [step](...parameters: unknown[]) {
      if (when === 'after') await real(...parameters);
      die();
      throw new Error('the process is dead');
    },
    // A dead process ends no lease.
    endLease: async () => undefined,
  };
}

describe('A gateway that is killed and restarted records each proof exactly once', () => {
  const steps: readonly [Step, 'before' | 'after'][] = [
    ['formBatch', 'before'],
    ['formBatch', 'after'],
    ['recordBatch', 'before'],
    ['recordBatch', 'after'],
    ['recordIndividual', 'before'],
    ['recordIndividual', 'after'],
    ['unregisteredSigners', 'after'],
    ['dueIndividual', 'after'],
    ['recordedInclusions', 'after'],
  ];

  it.each(steps)('killed at %s, %s the write', async (step, when) => {
    const single = await writing.prove('individual', 2);
    const batch = await writing.prove('batch', 4);
    const died = Promise.withResolvers<void>();
    const first: LedgerWriter = writing.start({
      store: dyingAt(writing.store, step, when, () => died.resolve()),
      limits: { storePollMs: 60_000, retryMs: 60_000 },
    });
    await died.promise;
    await first.close(0);
    // The same owner, as after a restart of the same process.
    writing.start({ store: await writing.ledger.open() });
    await atRest();
    expect(await writing.recorded()).toEqual([...ids(single), batchTree(batch).root]);
  });

  it.each([
    ['mined in the meantime', 'evm_mine'],
    ['dropped by the node', 'anvil_dropAllTransactions'],
    ['still there', 'eth_chainId'],
  ])('killed with a transaction in the pool, which is %s', async (_what, meanwhile) => {
    const first = writing.start();
    await oneIsRecorded();
    await bench.chain('evm_setAutomine', false);
    const batch = await writing.prove('batch', 4);
    await expect.poll(() => sentTo('recordBatch'), patience).toHaveLength(1);
    await first.close(0);
    await bench.chain(meanwhile);
    writing.start();
    await bench.chain('evm_setAutomine', true);
    // A failed transaction is followed by another.
    const mining = setInterval(() => void bench.chain('evm_mine').catch(() => undefined), 50);
    await atRest().finally(() => clearInterval(mining));
    expect((await writing.recorded()).slice(1)).toEqual([batchTree(batch).root]);
  });
});

describe('A record that is missing in the store', () => {
  it.each(['batch', 'individual'] as const)(
    'in %s mode, older than the searched blocks, is found by its time and not recorded again',
    async (mode) => {
      const step = mode === 'batch' ? 'recordBatch' : 'recordIndividual';
      const died = Promise.withResolvers<void>();
      const dying = dyingAt(writing.store, step, 'before', () => died.resolve());
      const proofs = await writing.prove(mode, 4);
      const first = writing.start({ store: dying, limits: { retryMs: 60_000 } });
      await died.promise;
      await first.close(0);
      const recorded = await writing.recorded();
      // Mine as many blocks as there are, so that the last `head` blocks contain no record.
      const head = Number(await bench.chain('eth_blockNumber'));
      await bench.chain('anvil_mine', `0x${(head + 2).toString(16)}`);
      const second = writing.start({ logBlocksMax: head });
      await atRest();
      expect(await writing.recorded()).toEqual(recorded);
      const found = await Promise.all(ids(proofs).map((id) => writing.store.findProof(id)));
      for (const each of found) expect(each).toMatchObject({ inclusion: { block: expect.any(Number) } });
      await expect.poll(() => second.healthIssue(), patience).toBe(null);
    },
  );

  it('and whose events the node does not return delays no other batch', async () => {
    const lost = await writing.prove('batch', 17);
    const first = writing.start({ limits: { batchMax: 1 } });
    await until(17);
    await atRest();
    await first.close(1_000);
    await writing.ledger.query(
      'UPDATE proof_batch SET tx_hash = NULL, block_number = NULL, block_hash = NULL',
    );
    const [formed] = await writing.prove('batch', 1);
    await writing.store.formBatch(await leaseFor(writing.store), writing.ledgerName, 1);
    const roots = lost.map((proof) => batchTree([proof]).root);
    const isLost = (body: string) => roots.some((root) => body.includes(root));
    bench.node.rewrite = (method, body, response) =>
      method === 'eth_getLogs' && isLost(body)
        ? JSON.stringify({ ...JSON.parse(response), result: [] })
        : response;
    const [due] = await writing.prove('batch', 1);
    const second = writing.start({ limits: { batchMax: 1 } });
    await until(19);
    expect(new Set(await writing.recorded())).toEqual(
      new Set([...lost, formed, due].map((proof) => batchTree(proof ? [proof] : []).root)),
    );
    await expect.poll(() => second.healthIssue(), patience).toMatch(/its node has no event of it/);
    bench.node.rewrite = (_method, _body, response) => response;
    await atRest();
    await expect.poll(() => second.healthIssue(), patience).toBe(null);
    expect(await writing.recorded()).toHaveLength(19);
  });
});

describe('A transaction that is not mined', () => {
  it('is replaced by one with the same nonce and fees at least an eighth higher, and records once', async () => {
    const first = writing.start({ limits: { stuckMs: 100 } });
    await oneIsRecorded();
    await bench.chain('evm_setAutomine', false);
    const batch = await writing.prove('batch', 4);
    await expect.poll(() => sentTo('recordBatch').length, patience).toBeGreaterThan(2);
    const attempts = sentTo('recordBatch');
    expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1);
    for (const [at, attempt] of attempts.slice(1).entries()) {
      const before = attempts[at];
      expect(attempt.maxFeePerGas).toBeGreaterThanOrEqual(((before?.maxFeePerGas ?? 0n) * 9n) / 8n);
      const tips = [attempt.maxPriorityFeePerGas ?? 0n, before?.maxPriorityFeePerGas ?? 0n] as const;
      expect(tips[0]).toBeGreaterThanOrEqual((tips[1] * 9n) / 8n);
    }
    await bench.chain('evm_setAutomine', true);
    await bench.chain('evm_mine');
    await atRest();
    expect((await writing.recorded()).slice(1)).toEqual([batchTree(batch).root]);
    await expect.poll(() => first.healthIssue(), patience).toBe(null);
  });

  it('is sent again when another program with the same key used its nonce', async () => {
    writing.start();
    await oneIsRecorded();
    await bench.chain('evm_setAutomine', false);
    const batch = await writing.prove('batch', 4);
    await expect.poll(() => sentTo('recordBatch'), patience).toHaveLength(1);
    const nonce = sentTo('recordBatch')[0]?.nonce ?? 0;
    const raw = await new Wallet(writing.relayer.privateKey).signTransaction({
      type: 2,
      chainId: 31_740,
      nonce,
      to: writing.relayer.address,
      gasLimit: 21_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 50_000_000_000n,
    });
    await bench.chain('eth_sendRawTransaction', raw);
    await bench.chain('evm_setAutomine', true);
    await bench.chain('evm_mine');
    await atRest();
    expect((await writing.recorded()).slice(1)).toEqual([batchTree(batch).root]);
  });
});

describe('Two gateways on one store', () => {
  it('write one after the other: the second takes over when the first has died', async () => {
    const died = Promise.withResolvers<void>();
    const [one, other] = [await writing.ledger.open(), await writing.ledger.open()];
    const dying = dyingAt(one, 'recordBatch', 'before', () => died.resolve());
    const first = writing.start({ store: dying, owner: 'one', limits: { retryMs: 60_000 } });
    const batch = await writing.prove('batch', 4);
    await died.promise;
    await first.close(0);
    let asked = 0;
    const leaseRelayer: OpenStore['leaseRelayer'] = (...parameters) => {
      asked += 1;
      return other.leaseRelayer(...parameters);
    };
    const second = writing.start({ store: { ...other, leaseRelayer }, owner: 'other' });
    const later = await writing.prove('batch', 4);
    // Many rounds later the second gateway still waits for the lease.
    await expect.poll(() => asked, patience).toBeGreaterThan(5);
    expect(await writing.recorded()).toEqual([batchTree(batch).root]);
    await expect.poll(() => second.healthIssue(), patience).toBe(null);
    writing.ledger.clock.advance(31);
    await atRest();
    expect(await writing.recorded()).toEqual([batchTree(batch).root, batchTree(later).root]);
  });

  it('write alone when the lease of the other ran out during a pause', async () => {
    const [one, other] = [await writing.ledger.open(), await writing.ledger.open()];
    const asleep = Promise.withResolvers<void>();
    const slept = Promise.withResolvers<void>();
    const sleeping: OpenStore = {
      ...one,
      async recordBatch(...parameters) {
        asleep.resolve();
        await slept.promise;
        return one.recordBatch(...parameters);
      },
    };
    const first = writing.start({ store: sleeping, owner: 'one' });
    const batch = await writing.prove('batch', 4);
    await asleep.promise;
    writing.ledger.clock.advance(31);
    writing.start({ store: other, owner: 'other' });
    await atRest();
    slept.resolve();
    const more = await writing.prove('batch', 4);
    await atRest();
    expect(await writing.recorded()).toEqual([batchTree(batch).root, batchTree(more).root]);
    await expect.poll(() => first.healthIssue(), patience).toBe(null);
  });

  it('use another lease than the payment relayer, even with the same key', async () => {
    const until60 = unixSeconds(now + 60);
    const lease = await writing.store.leaseRelayer(writing.relayer.address, 'payments', until60, now);
    expect(lease).not.toBe(null);
    const proofs = await writing.prove('batch', 4);
    writing.start({ owner: 'proofs' });
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(proofs).root]);
    expect(await writing.store.leaseRelayer(writing.relayer.address, 'proofs', until60, now)).toBe(null);
  });
});
