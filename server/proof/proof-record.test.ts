import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import { ProofRecord as isProofRecord } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedProof } from '../store/proof-store.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { OpenStore } from '../store/store.ts';
import {
  executed,
  inclusionAt,
  leaseFor,
  proofIn,
  proofLedger,
  randomAddress,
  randomBytes32,
} from '../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../testing/store/sqlite-store.ts';
import { createProofRecords, type ProofRecords } from './proof-record.ts';

const ledger = {
  name: 'InferenceLedger',
  version: '1',
  chainId: 31_740,
  verifyingContract: randomAddress(),
} as const;
let payments: TestSqliteStore;
let store: OpenStore;
let lease: RelayerLease;
let records: ProofRecords;

beforeAll(async () => {
  payments = await createTestSqliteStore();
  store = await payments.open();
  lease = await leaseFor(store);
  records = createProofRecords(store, ledger);
});
afterAll(() => payments.remove());

async function paid(
  settlementType: 'individual' | 'batch',
  proof = proofIn(settlementType),
): Promise<SignedProof> {
  const { id } = await executed(store, randomAddress(), 1n, 100n, proof);
  await store.settle([id], inclusionAt(101));
  if (proof.record === null) throw new Error('not private');
  return proof.record;
}

describe('The record of a proof', () => {
  it('of individual mode is pending, then recorded with its transaction', async () => {
    const { signature, ...leaf } = await paid('individual');
    const pending = await records.find(leaf.proofId);
    expect(pending).toEqual({
      id: leaf.proofId,
      status: 'pending',
      settlementType: 'individual',
      leaf,
      signature,
      leafHash: standardTree([leaf]).leafHash(listValues(leaf)),
      ledger,
    });
    const { txHash, ...at } = inclusionAt(7);
    await store.recordIndividual(lease, [leaf.proofId], { txHash, ...at });
    expect(await records.find(leaf.proofId)).toEqual({
      ...pending,
      status: 'recorded',
      inclusion: { txHash, blockNumber: 7 },
    });
    expect(isProofRecord(pending)).toBe(true);
  });

  it('of batch mode has root and path as soon as its batch is formed, recorded or not', async () => {
    const leaves = [];
    for (let count = 0; count < 5; count++) {
      const { signature: _, ...leaf } = await paid('batch');
      leaves.push(leaf);
    }
    const [first] = leaves;
    if (first === undefined) throw new Error('no leaf');
    const growing = await records.find(first.proofId);
    expect(growing).toMatchObject({ status: 'pending', batch: { root: null, size: null, path: null } });
    expect(isProofRecord(growing)).toBe(true);

    const batch = await store.formBatch(lease, proofLedger, 9);
    const tree = standardTree(leaves);
    for (const leaf of leaves) {
      const record = await records.find(leaf.proofId);
      expect(record).toMatchObject({ status: 'pending', batch: { root: tree.root, size: 5 } });
      const path = [...(record?.batch?.path ?? [])];
      expect(StandardMerkleTree.verify(tree.root, leafTypes, listValues(leaf), path)).toBe(true);
      for (const change of [{ outputHash: randomBytes32() }, { settlementType: 'individual' }] as const) {
        const other = listValues({ ...leaf, ...change });
        expect(StandardMerkleTree.verify(tree.root, leafTypes, other, path)).toBe(false);
      }
    }
    const inclusion = inclusionAt(9);
    await store.recordBatch(lease, batch?.id ?? 0, inclusion);
    expect(await records.find(first.proofId)).toMatchObject({
      status: 'recorded',
      batch: { root: tree.root },
      inclusion: { txHash: inclusion.txHash, blockNumber: 9 },
    });
  });

  it('of individual mode that the proof ledger refuses is refused with a reason, until it is recorded', async () => {
    const { proofId } = await paid('individual');
    await store.park(lease, [proofId], 'the key was revoked');
    const refused = await records.find(proofId);
    expect(refused).toMatchObject({ status: 'refused', refusal: 'the key was revoked' });
    expect(isProofRecord(refused)).toBe(true);
    await store.park(lease, [proofId], null);
    expect(await records.find(proofId)).toMatchObject({ status: 'pending' });
    await store.park(lease, [proofId], 'the key was revoked');
    await store.recordIndividual(lease, [proofId], inclusionAt(7));
    const recorded = await records.find(proofId);
    expect(recorded).toMatchObject({ status: 'recorded' });
    expect(recorded).not.toHaveProperty('refusal');
  });

  it('names the ledger that its key signed for, also after the settings changed', async () => {
    const kept = proofIn('individual');
    const signer = kept.record?.signer ?? randomAddress();
    const before = { ...ledger, verifyingContract: randomAddress() };
    await store.addSigner(signer, JSON.stringify(attestationFor(signer, before)), proofLedger);
    const proof = await paid('individual', kept);
    expect(await records.find(proof.proofId)).toMatchObject({ ledger: before });
  });

  it('is null for an unknown id and for an unpaid inference', async () => {
    expect(await records.find(randomBytes32())).toBeNull();
    const proof = proofIn('batch');
    await executed(store, randomAddress(), 1n, 100n, proof);
    expect(await records.find(proof.record?.proofId ?? randomBytes32())).toBeNull();
  });
});

describe('The tree of a batch', () => {
  /** Forms batches of one proof each, and counts which of them are read to build a tree. */
  async function formBatches(count: number) {
    const ids: SignedProof['proofId'][] = [];
    while ((await store.formBatch(lease, proofLedger, 99)) !== null);
    for (let at = 0; at < count; at++) {
      ids.push((await paid('batch')).proofId);
      await store.formBatch(lease, proofLedger, 99);
    }
    const built: number[] = [];
    const counting: typeof store.findBatch = (id) => {
      built.push(id);
      return store.findBatch(id);
    };
    return { ids, built, counting: { ...store, findBatch: counting } };
  }

  it('is built once for many concurrent requests', async () => {
    const { ids, built, counting } = await formBatches(1);
    const asked = createProofRecords(counting, ledger);
    const found = await Promise.all(Array.from({ length: 300 }, () => asked.find(ids[0] ?? randomBytes32())));
    expect(new Set(found.map((record) => record?.batch?.root)).size).toBe(1);
    expect(found[0]?.batch?.root).toMatch(/^0x/);
    expect(built).toHaveLength(1);
  });

  it('is cached, and dropped when it is the least recently used', async () => {
    const { ids, built, counting } = await formBatches(3);
    const asked = createProofRecords(counting, ledger, 2);
    const [first, second, third] = ids;
    for (const id of [first, second, first, third, first]) await asked.find(id ?? randomBytes32());
    expect(built, 'the third replaced the second').toHaveLength(3);
    await asked.find(second ?? randomBytes32());
    expect(built).toHaveLength(4);
  });

  it('that could not be read is read again', async () => {
    const { ids, counting } = await formBatches(1);
    let isAway = true;
    const findBatch: typeof store.findBatch = async (id) => {
      if (isAway) throw new Error('the store is unavailable');
      return counting.findBatch(id);
    };
    const asked = createProofRecords({ ...store, findBatch }, ledger);
    const id = ids[0] ?? randomBytes32();
    await expect(asked.find(id)).rejects.toThrow('unavailable');
    isAway = false;
    expect((await asked.find(id))?.batch?.root).toMatch(/^0x/);
  });
});

type Leaf = Omit<SignedProof, 'signature'>;

const fields = inferenceLeafTypes.InferenceLeaf;
const leafTypes = fields.map(({ type }) => type);

function listValues(leaf: Leaf): unknown[] {
  return fields.map(({ name }) => leaf[name as keyof Leaf]);
}

function standardTree(leaves: readonly Leaf[]): StandardMerkleTree<unknown[]> {
  return StandardMerkleTree.of(leaves.map(listValues), leafTypes);
}

function attestationFor(signer: string, domain: typeof ledger): object {
  return {
    provider: 'software',
    hardware: false,
    statement: 'Not a TEE.',
    signer,
    publicKey: `0x04${'ab'.repeat(64)}`,
    binding: 'paid-inference/enclave-key/v1',
    ledger: domain,
    nonce: `0x${'00'.repeat(32)}`,
    reportData: `0x${'cd'.repeat(64)}`,
    format: 'software-statement',
    evidence: 'bm90IGEgVEVF',
    evidenceHash: randomBytes32(),
    issuedAt: 1_700_000_000,
  };
}
