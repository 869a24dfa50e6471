import { beforeEach, describe, expect, it } from 'vitest';
import type { SignedProof } from '../proof/proof-store.ts';
import { unixSeconds } from '../vocabulary/units.ts';
import { idOf } from './proofs-suite.ts';
import { type RelayerLease, StaleFence } from './store.ts';
import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  randomAddress,
  randomBytes32,
  submitted,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Proofs that the ledger network refuses: out of the way, and never forgotten (D-73). And lists that are read in parts. */
export function describeParkedProofs(createTestStore: CreateTestStore): void {
  describe('A proof that is parked', () => {
    const door = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(door.store);
      // What the test before left is recorded, for good.
      await door.store.recordIndividual(lease, idsOf(await door.store.dueIndividual(1_000)), inclusionAt(1));
      const parked = await door.store.readParked(lease, 1_000, unixSeconds(now + 1_000_000));
      await door.store.recordIndividual(lease, idsOf(parked), inclusionAt(1));
      await door.store.finaliseRecorded(1_000);
    });

    it('is out of the queue and the backlog, and says why', async () => {
      const [first, second] = [await paid(), await paid()];
      expect(await door.store.parked(9)).toEqual({ proofs: 0, refusal: null });
      await door.store.park(lease, [first.proofId, randomBytes32()], 'the key was revoked');
      expect(await door.store.dueIndividual(9)).toEqual([second]);
      expect(await door.store.backlog()).toMatchObject({ individual: 1 });
      expect(await door.store.parked(9)).toEqual({ proofs: 1, refusal: 'the key was revoked' });
      const entry = { ...first, batchId: null, inclusion: null, refusal: 'the key was revoked' };
      expect(await door.store.findProof(first.proofId)).toEqual(entry);
      expect(await door.store.findProof(second.proofId)).toMatchObject({ refusal: null });
    });

    it('is counted as far as was asked, and may be parked without a refusal', async () => {
      const proofs = [await paid(), await paid(), await paid()];
      await door.store.park(lease, idsOf(proofs), null);
      expect(await door.store.parked(2)).toEqual({ proofs: 2, refusal: null });
      expect(await door.store.parked(9)).toEqual({ proofs: 3, refusal: null });
      expect(await door.store.dueIndividual(9)).toEqual([]);
    });

    it('is looked at again, those first that nobody looked at for longest, and not too soon', async () => {
      const proofs = [await paid(), await paid(), await paid()];
      for (const { proofId } of proofs) {
        await door.store.park(lease, [proofId], 'refused');
        door.clock.advance(1);
      }
      const second = () => unixSeconds(door.clock.nowSeconds() - 2);
      expect(await door.store.readParked(lease, 9, second()), 'a second later').toEqual(proofs.slice(0, 1));
      door.clock.advance(60);
      expect(await door.store.readParked(lease, 1, second())).toEqual(proofs.slice(1, 2));
      expect(await door.store.readParked(lease, 9, second())).toEqual([proofs[2], proofs[0]]);
      expect(await door.store.readParked(lease, 9, second()), 'all were looked at').toEqual([]);
      expect(await door.store.parked(9), 'and all are parked').toMatchObject({ proofs: 3 });
    });

    it('is recorded like any other, and due again after a reorganisation', async () => {
      const proof = await paid();
      await door.store.park(lease, [proof.proofId], 'refused');
      const inclusion = inclusionAt(7);
      await door.store.recordIndividual(lease, [proof.proofId], inclusion);
      expect(await door.store.parked(9)).toEqual({ proofs: 0, refusal: null });
      expect(await door.store.findProof(proof.proofId)).toMatchObject({ inclusion, refusal: null });
      await door.store.park(lease, [proof.proofId], 'too late');
      expect(await door.store.findProof(proof.proofId)).toMatchObject({ inclusion, refusal: null });
      await door.store.reopenRecorded(lease, inclusion.txHash);
      expect(await door.store.dueIndividual(9)).toEqual([proof]);
    });

    it('is not looked at while its payment is settled no longer', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 3, proof);
      await door.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await door.store.park(lease, [idOf(proof)], 'refused');
      await door.store.reopen(transaction.hash);
      const later = unixSeconds(now + 1_000_000);
      expect(await door.store.parked(9)).toMatchObject({ proofs: 0 });
      expect(await door.store.readParked(lease, 9, later)).toEqual([]);
      await door.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await door.store.readParked(lease, 9, later)).toEqual([proof.record]);
    });

    it('stays as it is for a lease that somebody else holds', async () => {
      const proof = await paid();
      await door.store.leaseRelayer(lease.relayer, 'other', unixSeconds(now + 900), unixSeconds(now + 100));
      const writing = [
        () => door.store.park(lease, [proof.proofId], 'refused'),
        () => door.store.readParked(lease, 9, unixSeconds(now + 1_000_000)),
      ];
      for (const each of writing) await expect(each()).rejects.toBeInstanceOf(StaleFence);
      expect(await door.store.dueIndividual(9)).toEqual([proof]);
    });

    async function paid(): Promise<SignedProof> {
      const proof = proofIn('individual');
      const { id } = await executed(door.store, door.payer, 1n, 100n, proof);
      await door.store.settle([id], inclusionAt(101));
      if (proof.record === null) throw new Error('not private');
      return proof.record;
    }
  });

  describe('A list that is read in parts goes on behind the part before', () => {
    const door = useTestStore(createTestStore);

    it('signers', async () => {
      const addresses = [randomAddress(), randomAddress(), randomAddress()];
      for (const address of addresses) await door.store.addSigner(address, '{}');
      const behind = async (after?: (typeof addresses)[number]) =>
        (await door.store.unregisteredSigners(2, after)).map(({ address }) => address);
      expect(await behind()).toEqual(addresses.slice(0, 2));
      expect(await behind(addresses[1])).toEqual(addresses.slice(2));
      await door.store.markRegistered(addresses[0] ?? randomAddress());
      expect(await behind(addresses[0]), 'also behind one that left the list').toEqual(addresses.slice(1));
      expect(await behind(addresses[2])).toEqual([]);
    });

    it('open batches', async () => {
      const lease = await leaseFor(door.store);
      const batches = [];
      for (let count = 0; count < 3; count++) {
        const { id } = await executed(door.store, door.payer, 1n, 100n, proofIn('batch'));
        await door.store.settle([id], inclusionAt(101));
        batches.push(await door.store.formBatch(lease, 9));
      }
      expect(await door.store.openBatches(2)).toEqual(batches.slice(0, 2));
      expect(await door.store.openBatches(2, batches[1]?.id)).toEqual(batches.slice(2));
      expect(await door.store.openBatches(2, batches[2]?.id)).toEqual([]);
    });

    it('inclusions, by block and transaction, of batches and of single proofs alike', async () => {
      const lease = await leaseFor(door.store);
      for (const { id } of await door.store.openBatches(9))
        await door.store.recordBatch(lease, id, inclusionAt(1));
      await door.store.finaliseRecorded(1);
      const inclusions = [inclusionAt(5), inclusionAt(6), inclusionAt(6), inclusionAt(7)];
      inclusions.sort((one, other) => one.block - other.block || (one.txHash < other.txHash ? -1 : 1));
      for (const [at, inclusion] of inclusions.entries()) {
        const proof = proofIn(at % 2 === 0 ? 'batch' : 'individual');
        const { id } = await executed(door.store, door.payer, 1n, 100n, proof);
        await door.store.settle([id], inclusionAt(101));
        const batch = at % 2 === 0 ? await door.store.formBatch(lease, 9) : null;
        if (batch) await door.store.recordBatch(lease, batch.id, inclusion);
        else await door.store.recordIndividual(lease, [idOf(proof)], inclusion);
      }
      expect(await door.store.recordedInclusions(2)).toEqual(inclusions.slice(0, 2));
      expect(await door.store.recordedInclusions(9, inclusions[1])).toEqual(inclusions.slice(2));
      expect(await door.store.recordedInclusions(9, inclusions[3])).toEqual([]);
    });
  });
}

function idsOf(proofs: readonly SignedProof[]): readonly SignedProof['proofId'][] {
  return proofs.map(({ proofId }) => proofId);
}
