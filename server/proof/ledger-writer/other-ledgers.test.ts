import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import { batchTree } from '../merkle-tree.ts';

// Two proof ledgers have their proofs in one store: the operator changed PROOF_LEDGER_CONTRACT, or two gateways
// with different settings share the store (D-238).

const patience = { timeout: 20_000 } as const;
const limits = { batchAgeSeconds: 0 } as const;

let bench: WriterBench;
let writing: Writing;
let other: Writing;
beforeAll(async () => {
  bench = await startWriterBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  writing = await bench.open();
  other = await bench.open(writing);
});
afterEach(async () => {
  await other.close();
  await writing.close();
});

describe('A proof for another proof ledger', () => {
  it('waits, and is recorded once on its own proof ledger after the settings return', async () => {
    const [mine, single] = [await writing.prove('batch', 3), await writing.prove('individual', 2)];
    const theirs = await other.prove('batch', 2);
    const writer = other.start({ limits });
    await expect.poll(() => other.recorded(), patience).toEqual([batchTree(theirs).root]);
    writing.ledger.clock.advance(60);
    await expect
      .poll(() => writer.healthIssue(), patience)
      .toMatch(new RegExp(`^5 proofs wait for another proof ledger: .*${writing.contract}`));
    for (const { proofId } of [...mine, ...single])
      expect(await writing.store.findProof(proofId)).toMatchObject({ inclusion: null, refusal: null });
    await writer.close(1_000);

    const back = writing.start({ limits });
    const records = [...single.map(({ proofId }) => proofId), batchTree(mine).root];
    await expect.poll(() => writing.recorded(), patience).toEqual(records);
    await expect.poll(() => back.healthIssue(), patience).toBeNull();
    expect(await other.recorded()).toHaveLength(1);
  });

  it('is recorded by its own gateway, while both gateways write', async () => {
    writing.start({ limits, owner: 'one' });
    other.start({ limits, owner: 'other' });
    const proven = await Promise.all(
      [writing, other].flatMap((each) =>
        Array.from({ length: 8 }, async () => ({ each, proofs: await each.prove('batch') })),
      ),
    );
    for (const { each, proofs } of proven) {
      for (const proof of proofs) {
        const entry = async () => await each.store.findProof(proof.proofId);
        await expect.poll(async () => (await entry())?.inclusion, patience).not.toBeNull();
        const batch = await each.store.findBatch((await entry())?.batchId ?? 0);
        const tree = batchTree(batch?.proofs ?? []);
        const path = tree.findPath(proof.proofId);
        expect(await each.read('verifyInBatch', tree.root, proof, path)).toBe(true);
      }
    }
  });
});
