import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Interface, id, Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../../observe/log.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import { proofIn, randomAddress, randomBytes32 } from '../../testing/store/claims.ts';
import { unixSeconds } from '../../types/units.ts';
import type { FoundEvent } from './ledger-events.ts';
import { createRecordCheck } from './recorded-inferences.ts';

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

const patience = { timeout: 15_000 } as const;

/**
 * Records the inference of another registered key under the id of a proof, as every account with the role can.
 */
async function take({ proofId }: SignedProof): Promise<void> {
  const other = Wallet.createRandom();
  await writing.asAdmin('grantRole', id('RELAYER'), writing.admin);
  await writing.asAdmin('registerEnclaveKey', other.address, id('its evidence'), 'software');
  const [inputHash, outputHash, modelHash] = [randomBytes32(), randomBytes32(), randomBytes32()];
  const statement = {
    proofId,
    inputHash,
    outputHash,
    modelHash,
    timestamp: 1_700_000_000,
    settlementType: 'individual',
  };
  const [, name, version, chainId, verifyingContract] = Object.values(
    (await writing.read('eip712Domain')) as object,
  );
  const domain = { name, version, chainId, verifyingContract };
  const signature = await other.signTypedData(domain, { ...inferenceProofTypes }, statement);
  await writing.asAdmin('recordInferences', [{ ...statement, signature }]);
}

describe('A proof id that the proof ledger has with another inference', () => {
  it('is not stored as recorded, is logged once as an error, and delays no other proof', async () => {
    const [mine, next] = await writing.prove('individual', 2);
    if (mine === undefined || next === undefined) throw new Error('no proofs');
    await take(mine);
    const writer = writing.start({ limits: { retryMsMax: 50 } });
    await expect
      .poll(() => writing.store.findProof(next.proofId), patience)
      .toMatchObject({
        inclusion: { txHash: expect.stringMatching(/^0x/) },
      });
    await expect
      .poll(() => writer.healthIssue(), patience)
      .toMatch(/^1 proofs .*another inference is recorded/);
    const [later] = await writing.prove('individual');
    await expect
      .poll(() => writing.recorded(), patience)
      .toEqual([mine.proofId, next.proofId, later?.proofId]);
    expect(await writing.store.findProof(mine.proofId)).toMatchObject({ inclusion: null });
    const told = `the proof ledger has another inference under the id ${mine.proofId}`;
    expect(writing.warnings.filter((sentence) => sentence === told)).toEqual([told]);
  });
});

describe('The check of a record', () => {
  const { record } = proofIn('individual');
  if (record === null) throw new Error('not private');
  const proof = record;

  const check = (change: Partial<SignedProof>, log: Pick<Log, 'error'> = { error: () => undefined }) =>
    createRecordCheck(log)([proof], new Map([[proof.proofId, encodeEvent({ ...proof, ...change })]]));

  it('accepts a record with the signer, hashes, model and time of the proof', () => {
    const { own, taken } = check({});
    expect([own.get(proof.proofId)?.block, taken.size]).toEqual([7, 0]);
    expect(createRecordCheck({ error: () => undefined })([proof], new Map())).toEqual({
      own: new Map(),
      taken: new Set(),
    });
  });

  it.each<Partial<SignedProof>>([
    { signer: randomAddress() },
    { inputHash: randomBytes32() },
    { outputHash: randomBytes32() },
    { modelHash: randomBytes32() },
    { timestamp: unixSeconds(proof.timestamp + 1) },
  ])('rejects a record with %o', (change) => {
    const said: unknown[] = [];
    const { own, taken } = check(change, { error: (...words: unknown[]) => void said.push(words[1]) });
    expect([own.size, [...taken]]).toEqual([0, [proof.proofId]]);
    expect(said).toEqual([expect.stringContaining(proof.proofId)]);
  });

  it('throws when the node returns no valid event', () => {
    const event = encodeEvent(proof);
    const broken = { ...event, log: { ...event.log, data: '0x12' } };
    const checkRecords = createRecordCheck({ error: () => undefined });
    expect(() => checkRecords([proof], new Map([[proof.proofId, broken]]))).toThrow(/returned no event/);
  });
});

function encodeEvent({
  proofId,
  signer,
  inputHash,
  outputHash,
  modelHash,
  timestamp,
  signature,
}: SignedProof): FoundEvent {
  const values = [proofId, signer, inputHash, outputHash, modelHash, timestamp, signature];
  const { topics, data } = new Interface(inferenceLedgerAbi).encodeEventLog('InferenceRecorded', values);
  const log = { address: randomAddress(), topics, data };
  return { txHash: randomBytes32(), block: 7, blockHash: randomBytes32(), log };
}
