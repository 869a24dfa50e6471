import { beforeEach, describe, expect, it } from 'vitest';
import type { KeptProof, SignedProof } from '../../store/proof-store.ts';
import { type RelayerLease, StaleFence } from '../../store/relayer-lease.ts';

import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  completion,
  createReading,
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
import { useTestStore } from './use-test-store.ts';

/** Proofs: written with the completion, due with the settlement, recorded once. */
export function describeProofs(createTestStore: CreateTestStore): void {
  describe('A proof', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
      // Records everything that the test before left.
      await recordAll();
    });

    it('is read with the completion unchanged, and is not stored as text', async () => {
      const proof = proofIn('batch');
      const payment = await executed(database.store, database.payer, 1n, 100n, proof);
      expect(await database.store.find(payment.id)).toMatchObject({ completion, proof: proof.header });
      const [row] = await database.query(`SELECT proof FROM payment WHERE id = ${payment.id}`);
      expect(Buffer.from(row?.['proof'] as Uint8Array).includes(proof.header)).toBe(false);
      await database.store.settle([payment.id], inclusionAt(101));
      const { asset, authorization } = payment;
      expect(await database.store.lookUp(asset, authorization.from, authorization.nonce)).toMatchObject({
        proof: proof.header,
      });
    });

    it('of a repeated execution is that of the first', async () => {
      const [first, second] = [proofIn('individual'), proofIn('individual')];
      const { id } = await paidWith(first);
      await database.store.execute(id, completion, first);
      await database.store.execute(id, completion, second);
      expect(await database.store.find(id)).toMatchObject({ proof: first.header });
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([first.record]);
    });

    it('does not decrypt in place of the completion, nor the completion in its place', async () => {
      const { id } = await executed(database.store, database.payer, 1n, 100n, proofIn('batch'));
      await database.query(`UPDATE payment SET proof = completion, completion = proof WHERE id = ${id}`);
      expect(await database.store.find(id)).toMatchObject({ completion: null, proof: null });
    });

    it('is deleted with the completion, and its record stays', async () => {
      const proof = proofIn('individual');
      const { id } = await paidWith(proof);
      await database.store.dropCompletion(id);
      expect(await database.store.find(id)).toMatchObject({ completion: null, proof: null });
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof.record]);
    });

    it('of a private inference is never recorded, and every hash of it is deleted with the completion', async () => {
      const proof = proofIn('private');
      const payment = await paidWith(proof);
      const { asset, authorization, fingerprint } = payment;
      const lookUp = () => database.store.lookUp(asset, authorization.from, authorization.nonce);
      expect(await lookUp()).toMatchObject({ proof: proof.header, fingerprint });
      expect(await database.query(`SELECT 1 FROM proof WHERE payment_id = ${payment.id}`)).toEqual([]);
      await database.store.dropCompletion(payment.id);
      expect(await lookUp()).toMatchObject({
        state: 'settled',
        completion: null,
        proof: null,
        fingerprint: '',
      });
      const again = await executed(database.store, database.payer, 1n, 100n, proofIn('private'));
      await database.store.dropCompletion(again.id);
      expect(await database.store.find(again.id), 'it is not settled yet').toMatchObject({ fingerprint });
    });

    it('is due from the settlement on, oldest first, and not before', async () => {
      const proofs = [proofIn('individual'), proofIn('individual'), proofIn('individual')];
      const payments = [];
      for (const proof of proofs)
        payments.push(await executed(database.store, database.payer, 1n, 100n, proof));
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
      for (const at of [2, 0, 1]) {
        database.clock.advance(1);
        await database.store.settle([payments[at]?.id ?? 0], inclusionAt(101));
      }
      const inOrder = [2, 0, 1].map((at) => proofs[at]?.record);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual(inOrder);
      expect(await database.store.dueIndividual(proofLedger, 2)).toEqual(inOrder.slice(0, 2));
      expect(await database.store.backlog(proofLedger)).toMatchObject({ individual: 3 });
      await database.store.finalise(101);
      expect(await database.store.dueIndividual(proofLedger, 9), 'a final payment counts too').toEqual(
        inOrder,
      );
    });

    it('of a payment that a foreign transaction settled is due too', async () => {
      const proof = proofIn('individual');
      const payment = await executed(database.store, database.payer, 1n, 100n, proof);
      await database.store.fail(payment.id, 'authorization_used', null);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
      await database.store.settle([payment.id], inclusionAt(101));
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof.record]);
    });

    it('is not due while its payment is reopened, and is due once after the next settlement', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 7, proof);
      const inclusion = inclusionAt(105, transaction.hash);
      await database.store.settle([payment.id], inclusion);
      await database.store.reopen(transaction.hash);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
      expect(await database.store.findProof(readProofId(proof))).toBeNull();
      await database.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof.record]);
    });

    it('that was recorded before a reorganisation is not recorded again', async () => {
      const proof = proofIn('individual');
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 8, proof);
      await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
      const recorded = inclusionAt(7);
      await database.store.recordIndividual(lease, [readProofId(proof)], recorded);
      await database.store.reopen(transaction.hash);
      expect(await database.store.findProof(readProofId(proof)), 'the ledger network has it').toMatchObject({
        inclusion: recorded,
      });
      await database.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
    });

    it.each(['fail', 'expire'] as const)('of a payment that ends with %s is never due', async (end) => {
      for (const wasSettled of [false, true]) {
        const proof = proofIn('individual');
        const { id } = await executed(database.store, database.payer, 1n, 100n, proof);
        if (wasSettled) await database.store.settle([id], inclusionAt(105));
        if (end === 'fail') await database.store.fail(id, 'authorization_used', null);
        else await database.store.expire(id);
        expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
        await database.store.closeRefused([id]);
        expect(await database.query(`SELECT 1 FROM proof WHERE payment_id = ${id}`)).toEqual([]);
        expect(await database.store.findProof(readProofId(proof))).toBeNull();
      }
    });

    it('of a retried payment is due when the payment settles', async () => {
      const proof = proofIn('individual');
      const { id } = await executed(database.store, database.payer, 1n, 100n, proof);
      await database.store.fail(id, 'insufficient_funds', null);
      await database.store.closeRefused([0]);
      expect(await database.store.retry(id, createReading(100n, 107), now)).toMatchObject({
        proof: proof.header,
      });
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([]);
      await database.store.settle([id], inclusionAt(108));
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof.record]);
    });

    it('is recorded once, however often the write is repeated', async () => {
      const [first, second] = [proofIn('individual'), proofIn('individual')];
      await paidWith(first);
      await paidWith(second);
      const inclusion = inclusionAt(7);
      await database.store.recordIndividual(lease, [readProofId(first)], inclusion);
      await database.store.recordIndividual(lease, [readProofId(first), randomBytes32()], inclusion);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([second.record]);
      expect(await database.store.findProof(readProofId(first))).toEqual({
        ...first.record,
        batchId: null,
        inclusion,
        refusal: null,
      });
      expect(await database.store.findProof(readProofId(second))).toMatchObject({ inclusion: null });
      expect(await database.store.recordedInclusions(proofLedger, 9)).toEqual([inclusion]);
    });

    it('in a block that the ledger network lost is due again, unless it was final', async () => {
      const [lost, final] = [proofIn('individual'), proofIn('individual')];
      await paidWith(lost);
      await paidWith(final);
      const [early, late] = [inclusionAt(7), inclusionAt(8)];
      await database.store.recordIndividual(lease, [readProofId(final)], early);
      await database.store.recordIndividual(lease, [readProofId(lost)], late);
      expect(await database.store.recordedInclusions(proofLedger, 9)).toEqual([early, late]);
      expect(await database.store.recordedInclusions(proofLedger, 1)).toEqual([early]);
      expect(await database.store.finaliseRecorded(proofLedger, 7)).toBe(1);
      expect(await database.store.finaliseRecorded(proofLedger, 7)).toBe(0);
      await database.store.reopenRecorded(lease, early.txHash);
      await database.store.reopenRecorded(lease, late.txHash);
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([lost.record]);
      const moved = inclusionAt(9, late.txHash);
      await database.store.recordIndividual(lease, [readProofId(lost), readProofId(final)], moved);
      expect(await database.store.recordedInclusions(proofLedger, 9)).toEqual([moved]);
      expect(await database.store.findProof(readProofId(final))).toMatchObject({ inclusion: early });
    });

    it('that is unknown is not found', async () => {
      expect(await database.store.findProof(randomBytes32())).toBeNull();
    });

    it('is not recorded for a lease that another process holds', async () => {
      const proof = proofIn('individual');
      await paidWith(proof);
      await database.store.leaseRelayer(
        lease.relayer,
        'other',
        unixSeconds(now + 900),
        unixSeconds(now + 100),
      );
      const inclusion = inclusionAt(7);
      for (const writing of [
        () => database.store.recordIndividual(lease, [readProofId(proof)], inclusion),
        () => database.store.recordBatch(lease, 1, inclusion),
        () => database.store.reopenRecorded(lease, inclusion.txHash),
        () => database.store.formBatch(lease, proofLedger, 1),
      ]) {
        await expect(writing()).rejects.toBeInstanceOf(StaleFence);
      }
      expect(await database.store.dueIndividual(proofLedger, 9)).toEqual([proof.record]);
    });

    async function paidWith(proof: KeptProof): ReturnType<typeof executed> {
      const payment = await executed(database.store, database.payer, 1n, 100n, proof);
      await database.store.settle([payment.id], inclusionAt(101));
      return payment;
    }

    async function recordAll(): Promise<void> {
      const due = await database.store.dueIndividual(proofLedger, 1_000);
      await database.store.recordIndividual(
        lease,
        due.map(({ proofId }) => proofId),
        inclusionAt(1),
      );
      await database.store.finaliseRecorded(proofLedger, 1_000);
    }
  });

  describe('An enclave key', () => {
    const database = useTestStore(createTestStore);

    it('is stored with its attestation before it signs, and unchanged when added again', async () => {
      const address = randomAddress();
      expect(await database.store.findSigner(address)).toBeNull();
      await database.store.addSigner(address, '{"provider":"software"}', proofLedger);
      await database.store.addSigner(address, '{"provider":"other"}', proofLedger);
      const record = { address, attestation: '{"provider":"software"}', isRegistered: false };
      expect(await database.store.findSigner(address)).toEqual(record);
    });

    it('is listed for registration, oldest first, until it is registered', async () => {
      for (const { address } of await database.store.unregisteredSigners(99))
        await database.store.markRegistered(address);
      const addresses = [randomAddress(), randomAddress(), randomAddress()];
      for (const address of addresses) await database.store.addSigner(address, '{}', proofLedger);
      const waiting = async (max: number) =>
        (await database.store.unregisteredSigners(max)).map(({ address }) => address);
      expect(await waiting(9)).toEqual(addresses);
      expect(await waiting(2)).toEqual(addresses.slice(0, 2));
      await database.store.markRegistered(addresses[0] ?? randomAddress());
      await database.store.markRegistered(addresses[0] ?? randomAddress());
      await database.store.addSigner(addresses[0] ?? randomAddress(), '{}', proofLedger);
      expect(await waiting(9)).toEqual(addresses.slice(1));
    });
  });
}

export function readProofId({ record }: KeptProof): SignedProof['proofId'] {
  if (record === null) throw new Error('a private proof has no record');
  return record.proofId;
}
