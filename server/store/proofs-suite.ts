import { beforeEach, describe, expect, it } from 'vitest';
import type { KeptProof, SignedProof } from '../proof/proof-store.ts';
import { unixSeconds } from '../vocabulary/units.ts';
import { type RelayerLease, StaleFence } from './store.ts';
import {
  answer,
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  randomAddress,
  randomBytes32,
  readingOf,
  submitted,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Proofs: written with the answer, due with the settlement, recorded once. */
export function describeProofs(createTestStore: CreateTestStore): void {
  describe('A proof', () => {
    const door = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(door.store);
      // What the test before left is recorded, for good.
      await recordAll();
    });

    it('comes back with the answer, as its payer got it, and does not lie in the store as text', async () => {
      const proof = proofIn('batch');
      const payment = await executed(door.store, door.payer, 1n, 100n, proof);
      expect(await door.store.find(payment.id)).toMatchObject({ answer, proof: proof.header });
      const [row] = await door.query(`SELECT proof FROM payment WHERE id = ${payment.id}`);
      expect(Buffer.from(row?.['proof'] as Uint8Array).includes(proof.header)).toBe(false);
      await door.store.settle([payment.id], inclusionAt(101));
      const { asset, authorization } = payment;
      expect(await door.store.lookUp(asset, authorization.from, authorization.nonce)).toMatchObject({
        proof: proof.header,
      });
    });

    it('handed in again with its answer is the one of the first time', async () => {
      const [first, second] = [proofIn('individual'), proofIn('individual')];
      const { id } = await paidWith(first);
      await door.store.execute(id, answer, first);
      await door.store.execute(id, answer, second);
      expect(await door.store.find(id)).toMatchObject({ proof: first.header });
      expect(await door.store.dueIndividual(9)).toEqual([first.record]);
    });

    it('does not open in the place of the answer, nor the answer in its place', async () => {
      const { id } = await executed(door.store, door.payer, 1n, 100n, proofIn('batch'));
      await door.query(`UPDATE payment SET proof = answer, answer = proof WHERE id = ${id}`);
      expect(await door.store.find(id)).toMatchObject({ answer: null, proof: null });
    });

    it('is forgotten with the answer; what is recorded of it stays', async () => {
      const proof = proofIn('individual');
      const { id } = await paidWith(proof);
      await door.store.dropAnswer(id);
      expect(await door.store.find(id)).toMatchObject({ answer: null, proof: null });
      expect(await door.store.dueIndividual(9)).toEqual([proof.record]);
    });

    it('of a private inference is never recorded, and with the answer every hash of it is forgotten', async () => {
      const proof = proofIn('private');
      const payment = await paidWith(proof);
      const { asset, authorization, fingerprint } = payment;
      const lookUp = () => door.store.lookUp(asset, authorization.from, authorization.nonce);
      expect(await lookUp()).toMatchObject({ proof: proof.header, fingerprint });
      expect(await door.query(`SELECT 1 FROM proof WHERE payment_id = ${payment.id}`)).toEqual([]);
      await door.store.dropAnswer(payment.id);
      expect(await lookUp()).toMatchObject({ state: 'settled', answer: null, proof: null, fingerprint: '' });
      const again = await executed(door.store, door.payer, 1n, 100n, proofIn('private'));
      await door.store.dropAnswer(again.id);
      expect(await door.store.find(again.id), 'it is still owed').toMatchObject({ fingerprint });
    });

    it('is due from the settlement on, oldest first, and not before', async () => {
      const proofs = [proofIn('individual'), proofIn('individual'), proofIn('individual')];
      const payments = [];
      for (const proof of proofs) payments.push(await executed(door.store, door.payer, 1n, 100n, proof));
      expect(await door.store.dueIndividual(9)).toEqual([]);
      for (const at of [2, 0, 1]) {
        door.clock.advance(1);
        await door.store.settle([payments[at]?.id ?? 0], inclusionAt(101));
      }
      const inOrder = [2, 0, 1].map((at) => proofs[at]?.record);
      expect(await door.store.dueIndividual(9)).toEqual(inOrder);
      expect(await door.store.dueIndividual(2)).toEqual(inOrder.slice(0, 2));
      expect(await door.store.backlog()).toMatchObject({ individual: 3 });
      await door.store.finalise(101);
      expect(await door.store.dueIndividual(9), 'final is as good').toEqual(inOrder);
    });

    it('that a transaction of somebody else settled is due as well', async () => {
      const proof = proofIn('individual');
      const payment = await executed(door.store, door.payer, 1n, 100n, proof);
      await door.store.fail(payment.id, 'authorization_used', null);
      expect(await door.store.dueIndividual(9)).toEqual([]);
      await door.store.settle([payment.id], inclusionAt(101));
      expect(await door.store.dueIndividual(9)).toEqual([proof.record]);
    });

    it('is not due while a reorganisation holds its payment back, and settled again it is due once', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 7, proof);
      const inclusion = inclusionAt(105, transaction.hash);
      await door.store.settle([payment.id], inclusion);
      await door.store.reopen(transaction.hash);
      expect(await door.store.dueIndividual(9)).toEqual([]);
      expect(await door.store.findProof(idOf(proof))).toBeNull();
      await door.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await door.store.dueIndividual(9)).toEqual([proof.record]);
    });

    it('that was recorded before a reorganisation is not recorded again', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 8, proof);
      await door.store.settle([payment.id], inclusionAt(105, transaction.hash));
      const recorded = inclusionAt(7);
      await door.store.recordIndividual(lease, [idOf(proof)], recorded);
      await door.store.reopen(transaction.hash);
      expect(await door.store.findProof(idOf(proof)), 'the ledger network shows it').toMatchObject({
        inclusion: recorded,
      });
      await door.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await door.store.dueIndividual(9)).toEqual([]);
    });

    it.each(['fail', 'expire'] as const)('of a payment that ends with %s is never due', async (end) => {
      for (const wasSettled of [false, true]) {
        const proof = proofIn('individual');
        const { id } = await executed(door.store, door.payer, 1n, 100n, proof);
        if (wasSettled) await door.store.settle([id], inclusionAt(105));
        if (end === 'fail') await door.store.fail(id, 'authorization_used', null);
        else await door.store.expire(id);
        expect(await door.store.dueIndividual(9)).toEqual([]);
        await door.store.closeRefused([id]);
        expect(await door.query(`SELECT 1 FROM proof WHERE payment_id = ${id}`)).toEqual([]);
        expect(await door.store.findProof(idOf(proof))).toBeNull();
      }
    });

    it('of a payment that was tried again is due when that settles', async () => {
      const proof = proofIn('individual');
      const { id } = await executed(door.store, door.payer, 1n, 100n, proof);
      await door.store.fail(id, 'insufficient_funds', null);
      await door.store.closeRefused([0]);
      expect(await door.store.retry(id, readingOf(100n, 107), now)).toMatchObject({ proof: proof.header });
      expect(await door.store.dueIndividual(9)).toEqual([]);
      await door.store.settle([id], inclusionAt(108));
      expect(await door.store.dueIndividual(9)).toEqual([proof.record]);
    });

    it('is recorded once, however often it is said', async () => {
      const [first, second] = [proofIn('individual'), proofIn('individual')];
      await paidWith(first);
      await paidWith(second);
      const inclusion = inclusionAt(7);
      await door.store.recordIndividual(lease, [idOf(first)], inclusion);
      await door.store.recordIndividual(lease, [idOf(first), randomBytes32()], inclusion);
      expect(await door.store.dueIndividual(9)).toEqual([second.record]);
      expect(await door.store.findProof(idOf(first))).toEqual({
        ...first.record,
        batchId: null,
        inclusion,
        refusal: null,
      });
      expect(await door.store.findProof(idOf(second))).toMatchObject({ inclusion: null });
      expect(await door.store.recordedInclusions(9)).toEqual([inclusion]);
    });

    it('in a block that the ledger network lost is due again, unless it was final', async () => {
      const [lost, final] = [proofIn('individual'), proofIn('individual')];
      await paidWith(lost);
      await paidWith(final);
      const [early, late] = [inclusionAt(7), inclusionAt(8)];
      await door.store.recordIndividual(lease, [idOf(final)], early);
      await door.store.recordIndividual(lease, [idOf(lost)], late);
      expect(await door.store.recordedInclusions(9)).toEqual([early, late]);
      expect(await door.store.recordedInclusions(1)).toEqual([early]);
      expect(await door.store.finaliseRecorded(7)).toBe(1);
      expect(await door.store.finaliseRecorded(7)).toBe(0);
      await door.store.reopenRecorded(lease, early.txHash);
      await door.store.reopenRecorded(lease, late.txHash);
      expect(await door.store.dueIndividual(9)).toEqual([lost.record]);
      const moved = inclusionAt(9, late.txHash);
      await door.store.recordIndividual(lease, [idOf(lost), idOf(final)], moved);
      expect(await door.store.recordedInclusions(9)).toEqual([moved]);
      expect(await door.store.findProof(idOf(final))).toMatchObject({ inclusion: early });
    });

    it('of nobody is not found', async () => {
      expect(await door.store.findProof(randomBytes32())).toBeNull();
    });

    it('is not recorded for a lease that somebody else holds', async () => {
      const proof = proofIn('individual');
      await paidWith(proof);
      await door.store.leaseRelayer(lease.relayer, 'other', unixSeconds(now + 900), unixSeconds(now + 100));
      const inclusion = inclusionAt(7);
      for (const writing of [
        () => door.store.recordIndividual(lease, [idOf(proof)], inclusion),
        () => door.store.recordBatch(lease, 1, inclusion),
        () => door.store.reopenRecorded(lease, inclusion.txHash),
        () => door.store.formBatch(lease, 1),
      ]) {
        await expect(writing()).rejects.toBeInstanceOf(StaleFence);
      }
      expect(await door.store.dueIndividual(9)).toEqual([proof.record]);
    });

    async function paidWith(proof: KeptProof): ReturnType<typeof executed> {
      const payment = await executed(door.store, door.payer, 1n, 100n, proof);
      await door.store.settle([payment.id], inclusionAt(101));
      return payment;
    }

    async function recordAll(): Promise<void> {
      const due = await door.store.dueIndividual(1_000);
      await door.store.recordIndividual(
        lease,
        due.map(({ proofId }) => proofId),
        inclusionAt(1),
      );
      await door.store.finaliseRecorded(1_000);
    }
  });

  describe('An enclave key', () => {
    const door = useTestStore(createTestStore);

    it('is known with its attestation from before it signs, and added again it stays as it was', async () => {
      const address = randomAddress();
      expect(await door.store.findSigner(address)).toBeNull();
      await door.store.addSigner(address, '{"provider":"software"}');
      await door.store.addSigner(address, '{"provider":"other"}');
      const record = { address, attestation: '{"provider":"software"}', isRegistered: false };
      expect(await door.store.findSigner(address)).toEqual(record);
    });

    it('waits to be registered, oldest first, until it is', async () => {
      for (const { address } of await door.store.unregisteredSigners(99))
        await door.store.markRegistered(address);
      const addresses = [randomAddress(), randomAddress(), randomAddress()];
      for (const address of addresses) await door.store.addSigner(address, '{}');
      const waiting = async (max: number) =>
        (await door.store.unregisteredSigners(max)).map(({ address }) => address);
      expect(await waiting(9)).toEqual(addresses);
      expect(await waiting(2)).toEqual(addresses.slice(0, 2));
      await door.store.markRegistered(addresses[0] ?? randomAddress());
      await door.store.markRegistered(addresses[0] ?? randomAddress());
      await door.store.addSigner(addresses[0] ?? randomAddress(), '{}');
      expect(await waiting(9)).toEqual(addresses.slice(1));
    });
  });
}

export function idOf({ record }: KeptProof): SignedProof['proofId'] {
  if (record === null) throw new Error('a private proof has no record');
  return record.proofId;
}
