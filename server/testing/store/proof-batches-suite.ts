import { beforeEach, describe, expect, it } from 'vitest';
import type { KeptProof } from '../../store/proof-store.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';

import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  proofIn,
  proofLedger,
  submitted,
} from './claims.ts';
import { readProofId } from './proofs-suite.ts';
import { useTestStore } from './use-test-store.ts';

/** Batches of proofs: their members, the order, and that no proof is in two batches. */
export function describeBatches(createTestStore: CreateTestStore): void {
  describe('A batch of proofs', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
      // Records everything that the test before left.
      while ((await database.store.formBatch(lease, proofLedger, 1_000)) !== null);
      for (const { id } of await database.store.openBatches(proofLedger, 1_000))
        await database.store.recordBatch(lease, id, inclusionAt(1));
      const single = await database.store.dueIndividual(proofLedger, 1_000);
      await database.store.recordIndividual(
        lease,
        single.map(({ proofId }) => proofId),
        inclusionAt(1),
      );
      await database.store.finaliseRecorded(proofLedger, 1_000);
    });

    it('takes due proofs, oldest first, up to the limit, and the others go into the next batch', async () => {
      const proofs = await paid(5);
      await executed(database.store, database.payer, 1n, 100n, proofIn('batch'));
      await paid(1, 'individual');
      const first = await database.store.formBatch(lease, proofLedger, 3);
      const second = await database.store.formBatch(lease, proofLedger, 3);
      expect(first?.proofs).toEqual(listRecords(proofs.slice(0, 3)));
      expect(second?.proofs).toEqual(listRecords(proofs.slice(3)));
      expect(await database.store.formBatch(lease, proofLedger, 3)).toBeNull();
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([first, second]);
      expect(await database.store.openBatches(proofLedger, 1)).toEqual([first]);
      expect(await database.store.findBatch(second?.id ?? 0)).toEqual(second);
      expect(await database.store.findBatch(0)).toBeNull();
    });

    it('leaves the backlog, which has the time of the oldest proof', async () => {
      expect(await database.store.backlog(proofLedger)).toEqual({
        individual: 0,
        batch: 0,
        batchSince: null,
      });
      database.clock.advance(5);
      const since = database.clock.nowSeconds();
      await paid(2);
      database.clock.advance(5);
      await paid(1);
      expect(await database.store.backlog(proofLedger)).toEqual({
        individual: 0,
        batch: 3,
        batchSince: since,
      });
      await database.store.formBatch(lease, proofLedger, 2);
      expect(await database.store.backlog(proofLedger)).toEqual({
        individual: 0,
        batch: 1,
        batchSince: since + 5,
      });
    });

    it('is recorded as a whole, once, and found again with the same members in the same order', async () => {
      const proofs = await paid(3);
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      const inclusion = inclusionAt(7);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      await database.store.recordBatch(lease, 4_711, inclusion);
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([]);
      expect(await database.store.formBatch(lease, proofLedger, 9)).toBeNull();
      expect(await database.store.findBatch(batch?.id ?? 0)).toEqual(batch);
      expect(await database.store.recordedInclusions(proofLedger, 9)).toEqual([inclusion]);
      for (const proof of proofs) {
        expect(await database.store.findProof(readProofId(proof))).toEqual({
          ...proof.record,
          batchId: batch?.id,
          inclusion,
          refusal: null,
        });
      }
    });

    it('that the ledger network lost is open again unchanged, unless it was final', async () => {
      await paid(2);
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      const inclusion = inclusionAt(7);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      await database.store.reopenRecorded(lease, inclusion.txHash);
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([batch]);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      expect(await database.store.finaliseRecorded(proofLedger, 7)).toBe(1);
      await database.store.reopenRecorded(lease, inclusion.txHash);
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([]);
    });

    it('and single proofs in one transaction count as one inclusion', async () => {
      const [single] = await paid(1, 'individual');
      await paid(1);
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      const inclusion = inclusionAt(7);
      await database.store.recordIndividual(lease, single ? [readProofId(single)] : [], inclusion);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      expect(await database.store.recordedInclusions(proofLedger, 9)).toEqual([inclusion]);
      expect(await database.store.finaliseRecorded(proofLedger, 7)).toBe(1);
    });

    it('is not returned while a member is no longer settled, and is then returned unchanged', async () => {
      const proof = proofIn('batch');
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 5, proof);
      await paid(2);
      await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      expect(batch?.proofs).toContainEqual(proof.record);
      await database.store.reopen(transaction.hash);
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([]);
      expect(await database.store.formBatch(lease, proofLedger, 9)).toBeNull();
      await database.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await database.store.openBatches(proofLedger, 9)).toEqual([batch]);
    });

    it('with a member that will never be paid is dissolved, and the others go into the next batch in order', async () => {
      const [first, lost, third] = [await paidOne(), await paidOne(), await paidOne()];
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      await database.store.fail(lost.id, 'authorization_used', null);
      expect(await database.store.openBatches(proofLedger, 9), 'it may still settle').toEqual([]);
      await database.store.closeRefused([lost.id]);
      expect(await database.store.findBatch(batch?.id ?? 0)).toBeNull();
      expect(await database.store.backlog(proofLedger)).toMatchObject({ batch: 2 });
      const next = await database.store.formBatch(lease, proofLedger, 9);
      expect(next?.proofs).toEqual(listRecords([first.proof, third.proof]));
      expect(next?.id).not.toBe(batch?.id);
    });

    it('that is recorded stays complete, whatever happens to a payment later', async () => {
      const [paidFor, lost] = [await paidOne(), await paidOne()];
      const batch = await database.store.formBatch(lease, proofLedger, 9);
      const inclusion = inclusionAt(7);
      await database.store.recordBatch(lease, batch?.id ?? 0, inclusion);
      await database.store.expire(lost.id);
      await database.store.closeRefused([lost.id]);
      expect(await database.store.findBatch(batch?.id ?? 0)).toEqual(batch);
      expect(await database.store.findProof(readProofId(lost.proof))).toMatchObject({ inclusion });
      // After its loss on the ledger network, it is recorded again for the paid members.
      await database.store.reopenRecorded(lease, inclusion.txHash);
      expect(await database.store.findProof(readProofId(lost.proof))).toBeNull();
      expect((await database.store.formBatch(lease, proofLedger, 9))?.proofs).toEqual(
        listRecords([paidFor.proof]),
      );
    });

    it('takes no proof of another batch when many are formed at once by several instances', async () => {
      const databases = [database.store, await database.open(), await database.open()];
      const proofs = await paid(40);
      const leases = await Promise.all(databases.map((each) => leaseFor(each)));
      const batches = await Promise.all(
        Array.from({ length: 12 }, (_, at) => {
          const [store, held] = [databases[at % 3] ?? database.store, leases[at % 3] ?? lease];
          return store.formBatch(held, proofLedger, 7);
        }),
      );
      const rest = await database.store.formBatch(lease, proofLedger, 99);
      const members = [...batches, rest].flatMap((batch) => batch?.proofs ?? []);
      expect(members).toHaveLength(40);
      expect(new Set(members.map(({ proofId }) => proofId))).toEqual(new Set(proofs.map(readProofId)));
      const open = await database.store.openBatches(proofLedger, 99);
      for (const batch of batches) {
        if (batch !== null) expect(open).toContainEqual(batch);
      }
    });

    async function paidOne(): Promise<{ readonly id: number; readonly proof: KeptProof }> {
      const proof = proofIn('batch');
      const { id } = await executed(database.store, database.payer, 1n, 100n, proof);
      await database.store.settle([id], inclusionAt(101));
      return { id, proof };
    }

    async function paid(
      count: number,
      settlementType: 'batch' | 'individual' = 'batch',
    ): Promise<readonly KeptProof[]> {
      const proofs = Array.from({ length: count }, () => proofIn(settlementType));
      for (const proof of proofs) {
        const { id } = await executed(database.store, database.payer, 1n, 1_000n, proof);
        await database.store.settle([id], inclusionAt(101));
      }
      return proofs;
    }
  });
}

function listRecords(proofs: readonly KeptProof[]): readonly KeptProof['record'][] {
  return proofs.map(({ record }) => record);
}

/**
 * Finds due proofs without a settled payment and the reverse, missing proofs, and batches with a gap or no
 * member. The result must be empty.
 */
export const proofsThatDoNotAddUp = `
  SELECT 'due' AS what, p.id FROM proof p JOIN payment y ON y.id = p.payment_id
  WHERE (p.due_at IS NOT NULL) <> (y.state IN ('settled', 'final'))
  UNION ALL SELECT 'missing', y.id FROM payment y LEFT JOIN proof p ON p.payment_id = y.id
  WHERE p.id IS NULL AND y.settlement_type <> 'private' AND y.state IN ('executed', 'submitted', 'settled', 'final')
    AND NOT y.is_owed
  UNION ALL SELECT 'order', min(p.id) FROM proof p WHERE p.batch_id IS NOT NULL GROUP BY p.batch_id
  HAVING min(p.position) <> 0 OR max(p.position) <> count(*) - 1 OR count(DISTINCT p.position) <> count(*)
  UNION ALL SELECT 'empty', b.id FROM proof_batch b WHERE NOT EXISTS (SELECT 1 FROM proof p WHERE p.batch_id = b.id)`;
