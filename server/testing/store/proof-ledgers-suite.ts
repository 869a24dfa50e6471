import { beforeEach, describe, expect, it } from 'vitest';
import type { SignedProof } from '../../store/proof-store.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import { nameLedger } from '../../types/ledger-name.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  randomAddress,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Proofs for two proof ledgers in one store: each operation concerns only those of its own (D-238). */
export function describeProofLedgers(createTestStore: CreateTestStore): void {
  describe('Of two proof ledgers in one store, each has only its own', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    let one: ReturnType<typeof nameLedger>;
    let other: typeof one;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
      [one, other] = [nameLedger(31_338, randomAddress()), nameLedger(31_338, randomAddress())];
    });

    it('batches and backlog', async () => {
      const [first, second, third] = [await paid(one), await paid(other), await paid(one)];
      const since = database.clock.nowSeconds();
      expect(await database.store.backlog(one)).toEqual({ individual: 0, batch: 2, batchSince: since });
      expect(await database.store.backlog(other)).toMatchObject({ batch: 1 });
      const batch = await database.store.formBatch(lease, one, 9);
      expect(batch?.proofs).toEqual([first, third]);
      expect(await database.store.formBatch(lease, one, 9)).toBeNull();
      expect(await database.store.openBatches(other, 9)).toEqual([]);
      const next = await database.store.formBatch(lease, other, 9);
      expect(next?.proofs).toEqual([second]);
      expect(await database.store.openBatches(one, 9)).toEqual([batch]);
      expect(await database.store.openBatches(other, 9)).toEqual([next]);
    });

    it('due and parked proofs', async () => {
      const [mine, theirs] = [await paid(one, 'individual'), await paid(other, 'individual')];
      expect(await database.store.backlog(one)).toMatchObject({ individual: 1, batchSince: null });
      expect(await database.store.dueIndividual(one, 9)).toEqual([mine]);
      expect(await database.store.dueIndividual(other, 9)).toEqual([theirs]);
      await database.store.park(lease, [mine.proofId, theirs.proofId], 'refused');
      expect(await database.store.parked(one, 9)).toEqual({ proofs: 1, refusal: 'refused' });
      const later = unixSeconds(now + 1_000_000);
      expect(await database.store.readParked(lease, one, 9, later)).toEqual([mine]);
      expect(await database.store.readParked(lease, other, 9, later)).toEqual([theirs]);
    });

    it('records that are not final', async () => {
      const records = [];
      for (const ledger of [one, other]) {
        const [single, batched] = [inclusionAt(7), inclusionAt(8)];
        await database.store.recordIndividual(lease, [(await paid(ledger, 'individual')).proofId], single);
        await paid(ledger);
        const batch = await database.store.formBatch(lease, ledger, 9);
        await database.store.recordBatch(lease, batch?.id ?? 0, batched);
        records.push([single, batched]);
      }
      expect(await database.store.recordedInclusions(one, 9)).toEqual(records[0]);
      expect(await database.store.finaliseRecorded(other, 100)).toBe(2);
      expect(await database.store.recordedInclusions(other, 9)).toEqual([]);
      expect(await database.store.recordedInclusions(one, 9)).toEqual(records[0]);
    });

    it('and the payers of its due proofs take turns (D-447)', async () => {
      const other = randomAddress();
      const [first, second, third] = [
        await paid(one, 'individual'),
        await paid(one, 'individual'),
        await paid(one, 'individual'),
      ];
      const [mine, last] = [await paid(one, 'individual', other), await paid(one, 'individual', other)];
      expect(await database.store.dueIndividual(one, 9)).toEqual([first, mine, second, last, third]);
      expect(await database.store.dueIndividual(one, 2)).toEqual([first, mine]);
    });

    it('and the proofs of the others are counted, once they are due for a while', async () => {
      const third = nameLedger(31_338, randomAddress());
      database.clock.advance(5);
      const before = await database.store.waitingElsewhere(third, soon(), 99);
      const [single, parked] = [await paid(other, 'individual'), await paid(other, 'individual')];
      await paid(other);
      await database.store.formBatch(lease, other, 9);
      await paid(other);
      await database.store.park(lease, [parked.proofId], 'refused');
      const waiting = () => database.store.waitingElsewhere(third, soon(), 99);
      expect((await waiting()).proofs).toBe(before.proofs + 4);
      expect(await database.store.waitingElsewhere(third, database.clock.nowSeconds(), 99)).toEqual(before);
      expect(await database.store.waitingElsewhere(third, soon(), 1)).toMatchObject({ proofs: 1 });
      expect((await database.store.waitingElsewhere(other, soon(), 99)).proofs).toBe(before.proofs);
      await database.store.recordIndividual(lease, [single.proofId, parked.proofId], inclusionAt(9));
      for (let left = 2; left > 0; left--) {
        const batch = (await database.store.openBatches(other, 1))[0];
        await database.store.recordBatch(lease, batch?.id ?? 0, inclusionAt(9));
        if (left === 2) await database.store.formBatch(lease, other, 9);
      }
      expect(await waiting()).toEqual(before);
    });

    function soon() {
      return unixSeconds(database.clock.nowSeconds() + 1);
    }

    async function paid(
      ledger: typeof one,
      settlementType: 'batch' | 'individual' = 'batch',
      payer = database.payer,
    ): Promise<SignedProof> {
      const { header, record } = proofIn(settlementType);
      if (record === null) throw new Error('not private');
      const proof = { header, record };
      const { id } = await executed(database.store, payer, 1n, 1_000n, proof, ledger);
      await database.store.settle([id], inclusionAt(101));
      return record;
    }
  });
}
