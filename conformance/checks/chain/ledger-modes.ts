import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { BatchInclusion, ProofRecord, SettlementType } from '@paid-inference/contract/types';
import { ProofRecord as isProofRecord } from '@paid-inference/contract/validators';
import { patiently } from '../../chain/patiently.ts';
import { computeRoot, hashFaults, hashLeaf } from '../../chain/proof.ts';
import { isSameHex } from '../../chain/rpc.ts';
import type { Context } from '../../context/context.ts';
import { type Found, found } from '../../types/found.ts';
import { type Broken, broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { decodeJson } from '../../wire/base64-json.ts';
import type { Proven } from './proven.ts';

/**
 * The contract gives no time. The reference gateway records a batch ten seconds after its oldest payment
 * settled (D-28).
 */
const recordedSecondsMax = 60;
const stepSeconds = 2;

/** `individual`: the ledger has the input and output hashes of this exchange (§4.3). */
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
    return unknown('the ledger has recorded the inference, but its node returned no event with the hashes');
  const { signer, inputHash, outputHash } = event.value;
  const faults = hashFaults(answered, { ...proof, inputHash, outputHash });
  if (faults.length > 0)
    return broken('the hashes of this request and this response on the ledger', faults.join('; '));
  return isSameHex(signer, proof.signer)
    ? holds()
    : broken(`a record by ${proof.signer}`, `a record by ${signer}`);
}

/** `batch`: the ledger has only an aggregated hash, which includes this inference (§4.3). */
export async function judgeBatch(context: Context, one: Proven): Promise<Judgement> {
  const { proof, ledger } = one;
  const other = otherType(one, 'batch');
  if (other) return other;
  const batch = await fetchBatch(context, proof.proofId);
  if (!batch.ok) return batch.verdict;
  const isAlone = await ledger.isRecorded(proof.proofId);
  if (!isAlone.ok) return isAlone.verdict;
  if (isAlone.value)
    return broken('only aggregated hashes on the ledger', 'a separate record of this inference');
  if (!batch.value) return notInTime();
  const { root, path, size } = batch.value;
  if (!isSameHex(computeRoot(hashLeaf(proof), path), root)) {
    return broken(`a path from this inference to the root ${root}`, 'a path to another root');
  }
  // The caller's node may lag behind the target's node.
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
  if (looked.value === undefined)
    return broken(`the root ${root} on the ledger, as the target claims`, 'no such root');
  return looked.value === BigInt(size)
    ? holds(`one of ${size} in the root ${root}`)
    : broken(`a batch of ${size}, as the target claims`, `a batch of ${looked.value}`);
}

/**
 * `private`: the ledger has no record (§4.3). A record under another id cannot be found. If an `individual`
 * inference has no record either, the deployment may record nothing at all.
 */
export async function judgePrivate(
  one: Proven,
  individual: () => Promise<Found<Proven>>,
): Promise<Judgement> {
  const other = otherType(one, 'private');
  if (other) return other;
  const isRecorded = await one.ledger.isRecorded(one.proof.proofId);
  if (!isRecorded.ok) return isRecorded.verdict;
  if (isRecorded.value) return broken('no record on the ledger', 'a record of this inference');
  const control = await individual();
  if (!control.ok) return control.verdict;
  const isControlRecorded = await control.value.ledger.isRecorded(control.value.proof.proofId);
  if (!isControlRecorded.ok) return isControlRecorded.verdict;
  if (isControlRecorded.value) return holds();
  return unknown('the ledger has no record of an individual inference either');
}

function otherType({ proof }: Proven, type: SettlementType): Broken | undefined {
  return proof.settlementType === type
    ? undefined
    : broken(`a proof for ${headerNames.settlementType} ${type}`, `a proof for ${proof.settlementType}`);
}

function notInTime(): Judgement {
  return unknown(
    `the inference was not recorded within ${recordedSecondsMax} s; the contract gives no time limit`,
  );
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

/**
 * Asks the target for the batch of an inference (D-31). The target only says where to look; the ledger proves
 * it.
 */
function fetchBatch(context: Context, proofId: string): Promise<Found<Batch | undefined>> {
  const { method, path } = endpoints.getProof;
  return patiently(
    recordedSecondsMax,
    context.sleep,
    async () => {
      const answered = await context.send({ method, path: path.replace('{id}', proofId) });
      if (!answered.ok) return answered;
      const record = parseRecord(answered.value.outcome.body);
      if (record?.status !== 'recorded') return found(undefined);
      const { root = null, size = null, path: way = null } = record.batch ?? {};
      return found(root === null || size === null || way === null ? undefined : { root, size, path: way });
    },
    stepSeconds,
  );
}

function parseRecord(body: string): ProofRecord | undefined {
  const value = decodeJson(Buffer.from(body));
  return value.ok && isProofRecord(value.value) ? value.value : undefined;
}
