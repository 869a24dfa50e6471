import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { BatchInclusion, ProofRecord, SettlementType } from '@paid-inference/contract/types';
import { ProofRecord as isProofRecord } from '@paid-inference/contract/validators';
import { patiently } from '../../chain/patiently.ts';
import { hashFaults, leafHashOf, rootOf } from '../../chain/proof.ts';
import { isSameHex } from '../../chain/rpc.ts';
import type { Context } from '../../context/context.ts';
import { andThen, type Found, found, given } from '../../types/found.ts';
import { type Broken, broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { decodeJson } from '../../wire/base64-json.ts';
import type { Proven } from './proven.ts';

/** No time is shown; the reference gateway records a batch ten seconds after its oldest payment settled (D-28). */
const recordedSecondsMax = 60;
const stepSeconds = 2;

/** `individual`: input and output hashes are recorded, and they are those of this exchange (contract 4.3). */
export async function judgeIndividual(context: Context, one: Proven): Promise<Judgement> {
  const { answered, proof, ledger } = one;
  const other = otherType(one, 'individual');
  if (other) return other;
  const isRecorded = await whenRecorded(context, one);
  if (!isRecorded.ok) return isRecorded.verdict;
  if (!isRecorded.value) return notInTime();
  const event = await ledger.recordedEvent(proof.proofId);
  if (!event.ok) return event.verdict;
  if (!event.value)
    return unknown('the ledger has it recorded, and its node shows no event that says with what');
  const { signer, inputHash, outputHash } = event.value;
  const faults = hashFaults(answered, { ...proof, inputHash, outputHash });
  if (faults.length > 0) return broken('the hashes of this request and this answer', faults.join('; '));
  return isSameHex(signer, proof.signer) ? holds() : broken(`recorded by ${proof.signer}`, `by ${signer}`);
}

/** `batch`: nothing but an aggregated hash is recorded, and it holds this inference (contract 4.3). */
export async function judgeBatch(context: Context, one: Proven): Promise<Judgement> {
  const { proof, ledger } = one;
  const other = otherType(one, 'batch');
  if (other) return other;
  const batch = await batchOf(context, proof.proofId);
  if (!batch.ok) return batch.verdict;
  const isAlone = await ledger.isRecorded(proof.proofId);
  if (!isAlone.ok) return isAlone.verdict;
  if (isAlone.value) return broken('aggregated hashes alone', 'the hashes of this inference by themselves');
  if (!batch.value) return notInTime();
  const { root, path, size } = batch.value;
  if (!isSameHex(rootOf(leafHashOf(proof), path), root)) {
    return broken(`a path from this inference to the root ${root}`, 'a path to elsewhere');
  }
  // A node that is not the target's may be a little behind.
  const looked = await patiently(
    recordedSecondsMax,
    context.sleep,
    async () => {
      const leaves = await ledger.batchSize(root);
      return leaves.ok && leaves.value === 0n ? { ok: true, value: undefined } : leaves;
    },
    stepSeconds,
  );
  if (!looked.ok) return looked.verdict;
  if (looked.value === undefined) return broken(`the root ${root} on the ledger, as the target says`, 'none');
  return looked.value === BigInt(size)
    ? holds(`one of ${size} in the root ${root}`)
    : broken(`a batch of ${size}, as the target says`, `one of ${looked.value}`);
}

/**
 * `private`: nothing is recorded (contract 4.3). What stands there under another id, nobody can see. Where nothing of an
 * `individual` inference is recorded either, the deployment may record nothing at all.
 */
export async function judgePrivate(
  one: Proven,
  individual: () => Promise<Found<Proven>>,
): Promise<Judgement> {
  const other = otherType(one, 'private');
  if (other) return other;
  const isRecorded = await one.ledger.isRecorded(one.proof.proofId);
  if (!isRecorded.ok) return isRecorded.verdict;
  if (isRecorded.value) return broken('nothing on the ledger', 'the hashes of this inference');
  return given(
    andThen(individual(), ({ ledger, proof }) => ledger.isRecorded(proof.proofId)),
    (isOtherRecorded) =>
      isOtherRecorded ? holds() : unknown('nothing is recorded of an individual inference either'),
  );
}

function otherType({ proof }: Proven, type: SettlementType): Broken | undefined {
  return proof.settlementType === type
    ? undefined
    : broken(`a proof for ${headerNames.settlementType} ${type}`, `one for ${proof.settlementType}`);
}

function notInTime(): Judgement {
  return unknown(`not recorded within ${recordedSecondsMax} s, and no time is shown`);
}

async function whenRecorded(context: Context, { proof, ledger }: Proven): Promise<Found<boolean>> {
  const looked = await patiently(
    recordedSecondsMax,
    context.sleep,
    async () => {
      const isRecorded = await ledger.isRecorded(proof.proofId);
      return isRecorded.ok && !isRecorded.value ? { ok: true, value: undefined } : isRecorded;
    },
    stepSeconds,
  );
  return looked.ok ? found(looked.value === true) : looked;
}

type Batch = { readonly [Part in keyof BatchInclusion]: NonNullable<BatchInclusion[Part]> };

/** The batch that the target says it recorded an inference in (D-31): its word for where to look, and for no more. */
function batchOf(context: Context, proofId: string): Promise<Found<Batch | undefined>> {
  const { method, path } = endpoints.getProof;
  return patiently(
    recordedSecondsMax,
    context.sleep,
    async () => {
      const answered = await context.send({ method, path: path.replace('{id}', proofId) });
      if (!answered.ok) return answered;
      const record = recordOf(answered.value.outcome.body);
      if (record?.status !== 'recorded') return found(undefined);
      const { root = null, size = null, path: way = null } = record.batch ?? {};
      return found(root === null || size === null || way === null ? undefined : { root, size, path: way });
    },
    stepSeconds,
  );
}

function recordOf(body: string): ProofRecord | undefined {
  const value = decodeJson(Buffer.from(body));
  return value.ok && isProofRecord(value.value) ? value.value : undefined;
}
