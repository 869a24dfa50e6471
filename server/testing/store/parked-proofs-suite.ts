import { beforeEach, describe, expect, it } from 'vitest';
import type { SignedProof } from '../../store/proof-store.ts';
import { type RelayerLease, StaleFence } from '../../store/relayer-lease.ts';

import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  proofLedger,
  randomAddress,
  randomBytes32,
  submitted,
} from './claims.ts';
import { readProofId } from './proofs-suite.ts';
import { useTestStore } from './use-test-store.ts';

/** Proofs that the ledger network refuses are parked (D-73). And lists that are read in pages. */
export function describeParkedProofs(createTestStore: CreateTestStore): void {
  describe('A proof that is parked', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
      // Records everything that the test before left.
      await database.store.recordIndividual(
        lease,
        listProofIds(await database.store.dueIndividual(proofLedger, 1_000)),
        inclusionAt(1),
      );
      const parked = await database.store.readParked(lease, proofLedger, 1_000, unixSeconds(now + 1_000_000));
      await database.store.recordIndividual(lease, listProofIds(parked), inclusionAt(1));
      await database.store.finaliseRecorded(proofLedger, 1_000);
    });

    it('is out of the queue and the backlog, and has its refusal', async () => {
      const [first, second] = [await paid(), await paid()];
      expect(await database.store.parked(proofLedger, 9)).toEqual({ proofs: 0, refusal: null });
      await database.store.park(lease, [first.proofId, randomBytes32()], 'the key was revoked');
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([second]);
      expect(await database.store.backlog(proofLedger)).toMatchObject({ individual: 1 });
      expect(await database.store.parked(proofLedger, 9)).toEqual({
        proofs: 1,
        refusal: 'the key was revoked',
      });
      const entry = { ...first, batchId: null, inclusion: null, refusal: 'the key was revoked' };
      expect(await database.store.findProof(first.proofId)).toEqual(entry);
      expect(await database.store.findProof(second.proofId)).toMatchObject({ refusal: null });
    });

    it('is counted up to the limit, and may be parked without a refusal', async () => {
      const proofs = [await paid(), await paid(), await paid()];
      await database.store.park(lease, listProofIds(proofs), null);
      expect(await database.store.parked(proofLedger, 2)).toEqual({ proofs: 2, refusal: null });
      expect(await database.store.parked(proofLedger, 9)).toEqual({ proofs: 3, refusal: null });
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
    });

    it('is read again at intervals, those with the oldest check first', async () => {
      const proofs = [await paid(), await paid(), await paid()];
      for (const { proofId } of proofs) {
        await database.store.park(lease, [proofId], 'refused');
        database.clock.advance(1);
      }
      const second = () => unixSeconds(database.clock.nowSeconds() - 2);
      expect(await database.store.readParked(lease, proofLedger, 9, second()), 'a second later').toEqual(
        proofs.slice(0, 1),
      );
      database.clock.advance(60);
      expect(await database.store.readParked(lease, proofLedger, 1, second())).toEqual(proofs.slice(1, 2));
      expect(await database.store.readParked(lease, proofLedger, 9, second())).toEqual([
        proofs[2],
        proofs[0],
      ]);
      expect(await database.store.readParked(lease, proofLedger, 9, second()), 'all were checked').toEqual(
        [],
      );
      expect(await database.store.parked(proofLedger, 9), 'and all are parked').toMatchObject({ proofs: 3 });
    });

    it('is recorded like any other, and is due again after a reorganisation', async () => {
      const proof = await paid();
      await database.store.park(lease, [proof.proofId], 'refused');
      const inclusion = inclusionAt(7);
      await database.store.recordIndividual(lease, [proof.proofId], inclusion);
      expect(await database.store.parked(proofLedger, 9)).toEqual({ proofs: 0, refusal: null });
      expect(await database.store.findProof(proof.proofId)).toMatchObject({ inclusion, refusal: null });
      await database.store.park(lease, [proof.proofId], 'too late');
      expect(await database.store.findProof(proof.proofId)).toMatchObject({ inclusion, refusal: null });
      await database.store.reopenRecorded(lease, inclusion.txHash);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof]);
    });

    it('is not read while its payment is no longer settled', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 3, proof);
      await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await database.store.park(lease, [readProofId(proof)], 'refused');
      await database.store.reopen(transaction.hash);
      const later = unixSeconds(now + 1_000_000);
      expect(await database.store.parked(proofLedger, 9)).toMatchObject({ proofs: 0 });
      expect(await database.store.readParked(lease, proofLedger, 9, later)).toEqual([]);
      await database.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await database.store.readParked(lease, proofLedger, 9, later)).toEqual([proof.record]);
    });

    it('is unchanged for a lease that another process holds', async () => {
      const proof = await paid();
      await database.store.leaseRelayer(
        lease.relayer,
        'other',
        unixSeconds(now + 900),
        unixSeconds(now + 100),
      );
      const writing = [
        () => database.store.park(lease, [proof.proofId], 'refused'),
        () => database.store.readParked(lease, proofLedger, 9, unixSeconds(now + 1_000_000)),
      ];
      for (const each of writing) await expect(each()).rejects.toBeInstanceOf(StaleFence);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof]);
    });

    async function paid(): Promise<SignedProof> {
      const proof = proofIn('individual');
      const { id } = await executed(database.store, database.payer, 1n, 100n, proof);
      await database.store.settle([id], inclusionAt(101));
      if (proof.record === null) throw new Error('not private');
      return proof.record;
    }
  });

  describe('A list in pages continues after the page before', () => {
    const database = useTestStore(createTestStore);

    it('signers', async () => {
      const addresses = [randomAddress(), randomAddress(), randomAddress()];
      for (const address of addresses) await database.store.addSigner(address, '{}', proofLedger);
      const behind = async (after?: (typeof addresses)[number]) =>
        (await database.store.unregisteredSigners(2, after)).map(({ address }) => address);
      expect(await behind()).toEqual(addresses.slice(0, 2));
      expect(await behind(addresses[1])).toEqual(addresses.slice(2));
      await database.store.markRegistered(addresses[0] ?? randomAddress());
      expect(await behind(addresses[0]), 'also after a signer that left the list').toEqual(
        addresses.slice(1),
      );
      expect(await behind(addresses[2])).toEqual([]);
    });

    it('open batches', async () => {
      const lease = await leaseFor(database.store);
      const batches = [];
      for (let count = 0; count < 3; count++) {
        const { id } = await executed(database.store, database.payer, 1n, 100n, proofIn('batch'));
        await database.store.settle([id], inclusionAt(101));
        batches.push(await database.store.formBatch(lease, proofLedger, 9));
      }
      expect(await database.store.openBatches(proofLedger, 2)).toEqual(batches.slice(0, 2));
      expect(await database.store.openBatches(proofLedger, 2, batches[1]?.id)).toEqual(batches.slice(2));
      expect(await database.store.openBatches(proofLedger, 2, batches[2]?.id)).toEqual([]);
    });

    it('inclusions, by block and transaction, of batches and of single proofs', async () => {
      const lease = await leaseFor(database.store);
      for (const { id } of await database.store.openBatches(proofLedger, 9))
        await database.store.recordBatch(lease, id, inclusionAt(1));
      await database.store.finaliseRecorded(proofLedger, 1);
      const inclusions = [inclusionAt(5), inclusionAt(6), inclusionAt(6), inclusionAt(7)];
      inclusions.sort((one, other) => one.block - other.block || (one.txHash < other.txHash ? -1 : 1));
      for (const [at, inclusion] of inclusions.entries()) {
        const proof = proofIn(at % 2 === 0 ? 'batch' : 'individual');
        const { id } = await executed(database.store, database.payer, 1n, 100n, proof);
        await database.store.settle([id], inclusionAt(101));
        const batch = at % 2 === 0 ? await database.store.formBatch(lease, proofLedger, 9) : null;
        if (batch) await database.store.recordBatch(lease, batch.id, inclusion);
        else await database.store.recordIndividual(lease, [readProofId(proof)], inclusion);
      }
      expect(await database.store.recordedInclusions(proofLedger, 2)).toEqual(inclusions.slice(0, 2));
      expect(await database.store.recordedInclusions(proofLedger, 9, inclusions[1])).toEqual(
        inclusions.slice(2),
      );
      expect(await database.store.recordedInclusions(proofLedger, 9, inclusions[3])).toEqual([]);
    });
  });
}

function listProofIds(proofs: readonly SignedProof[]): readonly SignedProof['proofId'][] {
  return proofs.map(({ proofId }) => proofId);
}
