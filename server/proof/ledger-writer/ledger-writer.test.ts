import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignedProof } from '../../store/proof-store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import type { Address } from '../../types/units.ts';
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

const ids = (proofs: readonly SignedProof[]) => proofs.map(({ proofId }) => proofId);
const patience = { timeout: 30_000 } as const;
const until = (count: number) => expect.poll(() => writing.recorded(), patience).toHaveLength(count);
const named = (events: readonly (readonly unknown[])[], name: string) =>
  events.filter(([each]) => each === name);

describe('The record of a paid inference (contract §4.3)', () => {
  it('individual: one event with the hashes of the exchange, by a key that was registered first', async () => {
    const [proof] = await writing.prove('individual');
    if (proof === undefined) throw new Error('no proof');
    const writer = writing.start();
    await until(1);
    const [registered, recorded, ...rest] = await writing.events();
    expect(registered?.[0]).toBe('EnclaveKeyRegistered');
    expect(String(registered?.[1]).toLowerCase()).toBe(proof.signer);
    const { proofId, inputHash, outputHash, modelHash, timestamp, signature } = proof;
    expect(recorded?.toSpliced(2, 1)).toEqual([
      'InferenceRecorded',
      proofId,
      inputHash,
      outputHash,
      modelHash,
      BigInt(timestamp),
      signature,
    ]);
    expect(rest).toEqual([]);
    await expect
      .poll(() => writing.store.findProof(proofId), patience)
      .toMatchObject({ inclusion: { txHash: expect.stringMatching(/^0x/) } });
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it('individual, several: one transaction and an event for each', async () => {
    const proofs = await writing.prove('individual', 5);
    writing.start();
    await until(5);
    expect(await writing.recorded()).toEqual(ids(proofs));
    // One transaction for the key and one for all proofs.
    expect(writing.sent()).toHaveLength(2);
  });

  it('batch: one event with the root, which includes every leaf', async () => {
    const proofs = await writing.prove('batch', 4);
    writing.start();
    await until(1);
    const tree = batchTree(proofs);
    expect(named(await writing.events(), 'BatchRecorded')).toEqual([['BatchRecorded', tree.root, 1n, 4n]]);
    expect(named(await writing.events(), 'InferenceRecorded')).toEqual([]);
    for (const proof of proofs) {
      const path = tree.findPath(proof.proofId);
      expect(await writing.read('verifyInBatch', tree.root, proof, path)).toBe(true);
    }
  });

  it('private: nothing', async () => {
    expect(await writing.prove('private', 2)).toEqual([]);
    await writing.prove('individual');
    const writer = writing.start();
    await until(1);
    await writer.close(1_000);
    expect((await writing.events()).map(([name]) => name)).toEqual([
      'EnclaveKeyRegistered',
      'InferenceRecorded',
    ]);
  });
});

describe('An enclave key', () => {
  it('of a process that died is registered by the next process', async () => {
    const [proof] = await writing.prove('batch', 1);
    const dead = `0x${'de'.repeat(20)}` as Address;
    await writing.store.addSigner(dead, await findAttestation(proof), writing.ledgerName);
    writing.start();
    await expect.poll(registered, patience).toEqual([proof?.signer, dead]);
  });

  it('with an attestation for another ledger is not registered, and logged once', async () => {
    const [proof] = await writing.prove('individual', 1);
    const elsewhere = `0x${'e1'.repeat(20)}`;
    const thirdParty = `0x${'ee'.repeat(20)}` as Address;
    const attestation = (await findAttestation(proof)).replaceAll(writing.contract, elsewhere);
    await writing.store.addSigner(thirdParty, attestation, writing.ledgerName);
    writing.start();
    await until(1);
    const strange = () => writing.warnings.filter((sentence) => /another ledger/.test(sentence));
    await expect.poll(strange, patience).toHaveLength(1);
    expect(await registered()).toEqual([proof?.signer]);
  });

  it('of this process is registered first, and all other waiting keys in later rounds', async () => {
    const [proof] = await writing.prove('individual', 1);
    const elsewhere = (await findAttestation(proof)).replaceAll(writing.contract, `0x${'e1'.repeat(20)}`);
    const here = await findAttestation(proof);
    for (let each = 1; each <= 5; each++)
      await writing.store.addSigner(makeAddress(each), elsewhere, writing.ledgerName);
    await writing.store.addSigner(makeAddress(6), '{"provider":"unreadable"}', writing.ledgerName);
    for (let each = 7; each <= 9; each++)
      await writing.store.addSigner(makeAddress(each), here, writing.ledgerName);
    await writing.renewKey();
    const [own] = await writing.prove('individual', 1);
    writing.start({ limits: { pageMax: 2 } });
    await expect.poll(registered, patience).toHaveLength(5);
    expect((await registered())[0]).toBe(own?.signer);
    expect((await registered()).slice(1)).toEqual([
      proof?.signer,
      makeAddress(7),
      makeAddress(8),
      makeAddress(9),
    ]);
    // Each key is logged once, although later rounds read it again.
    expect(writing.warnings.filter((sentence) => /another ledger/.test(sentence))).toHaveLength(6);
  });

  function makeAddress(each: number): Address {
    return `0x${String(each).repeat(40)}` as Address;
  }

  async function findAttestation(proof: SignedProof | undefined): Promise<string> {
    const record = proof && (await writing.store.findSigner(proof.signer));
    if (!record) throw new Error('no signer');
    return record.attestation;
  }

  async function registered(): Promise<readonly string[]> {
    return named(await writing.events(), 'EnclaveKeyRegistered').map(([, key]) => String(key).toLowerCase());
  }
});

describe('Batches of proofs (D-28)', () => {
  it('are recorded when full, while further proofs wait', async () => {
    const proofs = await writing.prove('batch', 6);
    writing.start();
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(proofs.slice(0, 4)).root]);
    expect(await writing.store.backlog(writing.ledgerName)).toMatchObject({ batch: 2 });
  });

  it('take all proofs that wait, up to the greatest batch, also if fewer would be due (D-383)', async () => {
    const proofs = await writing.prove('batch', 9);
    writing.start({ limits: { batchDue: 2, batchMax: 8 } });
    await until(1);
    expect(await writing.recorded()).toEqual([batchTree(proofs.slice(0, 8)).root]);
    expect(await writing.store.backlog(writing.ledgerName)).toMatchObject({ batch: 1 });
  });

  it('are recorded when the oldest proof reached the maximum age, and not before', async () => {
    const [waiting, ...later] = await writing.prove('batch', 1);
    writing.ledger.clock.advance(9);
    const second = await writing.prove('batch', 1);
    const writer = writing.start();
    // A recorded individual proof shows that rounds have passed.
    await writing.prove('individual');
    await until(1);
    expect(await writing.store.backlog(writing.ledgerName)).toMatchObject({ batch: 2 });
    writing.ledger.clock.advance(1);
    await until(2);
    const all = [waiting, ...later, ...second].filter((proof) => proof !== undefined);
    expect(await writing.recorded()).toContain(batchTree(all).root);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
  });

  it('are recorded when the gateway stops, whatever their size and age', async () => {
    const writer = writing.start();
    const proofs = await writing.prove('batch', 3);
    await writer.close(10_000);
    expect(await writing.recorded()).toEqual([batchTree(proofs).root]);
  });

  it('are recorded one after the other when many are full', async () => {
    const proofs = await writing.prove('batch', 22);
    const writer = writing.start();
    await until(5);
    await writer.close(10_000);
    const roots = [0, 4, 8, 12, 16, 20].map((at) => batchTree(proofs.slice(at, at + 4)).root);
    expect(await writing.recorded()).toEqual(roots);
    const nonces = writing.sent().map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, index) => index));
  });
});
