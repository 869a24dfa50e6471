import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof, LedgerInclusion, SavedExchange } from '@paid-inference/contract/types';
import { readHeaders } from '../saved-exchange.ts';
import { settlementTypeDefault } from '../settlement-type.ts';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { shown } from './key.ts';
import { computeRoot, hashLeaf } from './leaf.ts';
import type { InferenceLedger, RecordedInference } from './ledger.ts';
import { isSameStatement, type RecordReading, recordFault } from './record.ts';
import { findSignedType } from './signature.ts';

export type InclusionFinding = Finding & {
  /** The time of the record on the proof ledger's chain; null without a record. */
  readonly recordedAt: number | null;
  /** The result may change soon, because the proof may still be recorded. */
  readonly isPending: boolean;
};

/**
 * Whether the proof ledger has exactly the data that the settlement type allows (contract §4.3): nothing, the
 * hashes, or a root above them. Rejects when the proof ledger's node fails.
 */
export async function checkInclusion(
  { request }: SavedExchange,
  proof: InferenceProof,
  ledger: InferenceLedger,
  reading: RecordReading,
): Promise<InclusionFinding> {
  const asked = readHeaders(request).get(headerNames.settlementType) ?? settlementTypeDefault;
  if (asked !== proof.settlementType) {
    return settled(fails(`the request asked for ${asked}, but the proof is for ${proof.settlementType}`));
  }
  const signedFor = findSignedType(proof);
  if (signedFor !== null && signedFor !== proof.settlementType) {
    return settled(cannotTell(`not checked: the signature is for ${signedFor}`));
  }
  // The block number comes first: data that the node gets later must not count as data of this block.
  const looked: Looked = { proof, ledger, reading, block: await ledger.blockNumber() };
  const isRecorded = await ledger.isRecorded(proof.proofId);
  if (proof.settlementType === 'individual') {
    return isRecorded ? checkEvent(looked) : missing(looked, 'this inference');
  }
  const other = isRecorded ? await ledger.recorded(proof.proofId, null) : null;
  if (isRecorded && other === null) return settled(cannotTell(noEvent));
  if (other !== null && matchesHashes(other, proof)) {
    const whose = isSameHex(other.signer, proof.signer) ? '' : `, by the key ${other.signer}`;
    return settled(
      fails(`the request asked for ${asked}, but the proof ledger has the hashes of this inference${whose}`),
    );
  }
  return proof.settlementType === 'batch' ? checkBatch(looked) : settled(checkPrivate(reading, other));
}

/** A lookup by a node that had this block before. */
type Looked = {
  readonly proof: InferenceProof;
  readonly ledger: InferenceLedger;
  readonly reading: RecordReading;
  readonly block: number;
};

const noEvent = 'the proof ledger has recorded the proof id, but its node returned no event with the hashes';

/**
 * Another recorder can take an id for its own statement (D-86), which then proves nothing about this inference.
 */
function matchesHashes({ statement }: RecordedInference, proof: InferenceProof): boolean {
  return (['inputHash', 'outputHash'] as const).some((name) => isSameHex(statement[name], proof[name]));
}

function checkPrivate(reading: RecordReading, other: RecordedInference | null): Finding {
  if (reading.kind === 'record')
    return fails('the request asked for private, but the gateway keeps a proof of it');
  const kept = reading.kind === 'none' ? ', and the gateway keeps nothing' : '';
  const taken = other === null ? '' : ` (the key ${other.signer} recorded another inference under its id)`;
  return holds(`private: the proof ledger has nothing of this inference${taken}${kept}`);
}

async function checkEvent({ proof, ledger, reading }: Looked): Promise<InclusionFinding> {
  const txHash = reading.kind === 'record' ? (reading.record.inclusion?.txHash ?? null) : null;
  const found = await ledger.recorded(proof.proofId, txHash);
  if (found === null) return settled(cannotTell(noEvent));
  const { recordedAt, blockNumber } = found;
  if (!isSameHex(found.signer, proof.signer) || !isSameStatement(found.statement, proof)) {
    return settled(fails('the proof ledger has another inference under this id'), recordedAt);
  }
  if (reading.kind === 'record') {
    const other = recordFault(reading.record, proof);
    if (other !== null) return settled(fails(other), recordedAt);
    const { inclusion } = reading.record;
    if (
      inclusion !== undefined &&
      (!isSameHex(inclusion.txHash, found.txHash) || inclusion.blockNumber !== blockNumber)
    ) {
      return moved(inclusion, recordedAt);
    }
  }
  return settled(
    holds(`the proof ledger has its hashes since ${shown(recordedAt)}, in ${found.txHash}`),
    recordedAt,
  );
}

async function checkBatch(looked: Looked): Promise<InclusionFinding> {
  const { proof, ledger, reading } = looked;
  if (reading.kind !== 'record') return missing(looked, 'this inference');
  const { record } = reading;
  const other = recordFault(record, proof);
  if (other !== null) return settled(fails(other));
  const { root, size, path } = record.batch ?? { root: null, size: null, path: null };
  if (root === null || size === null || path === null)
    return pending('the gateway has not formed its batch yet');
  const leafHash = hashLeaf(proof);
  if (!isSameHex(computeRoot(leafHash, path), root)) {
    return settled(fails(`the path does not lead from this proof to the root ${short(root)}`));
  }
  const batch = await ledger.batch(root);
  if (batch.sequence === 0n) return missing(looked, `a batch with the root ${short(root)}`);
  if (batch.size !== BigInt(size)) {
    return settled(
      fails(`the batch has ${count(batch.size)} on the proof ledger, but ${size} in the gateway's record`),
    );
  }
  if (!(await ledger.verifyInBatch(root, proof, path))) {
    return settled(fails(`the proof ledger does not find this proof under the root ${short(root)}`));
  }
  const { inclusion } = record;
  if (inclusion !== undefined && (await ledger.batchAt(root, inclusion.txHash)) !== inclusion.blockNumber) {
    return moved(inclusion, batch.recordedAt);
  }
  const where = `batch ${batch.sequence} (${count(batch.size)}, recorded at ${shown(batch.recordedAt)})`;
  return settled(
    holds(`the proof ledger confirms the inference under the root of ${where}`),
    batch.recordedAt,
  );
}

function count(inferences: bigint): string {
  return inferences === 1n ? '1 inference' : `${inferences} inferences`;
}

/** The proof ledger lacks the record. A node that is behind the record's block proves nothing. */
function missing({ proof, reading, block }: Looked, what: string): InclusionFinding {
  const lacks = `the proof ledger does not have ${what}`;
  if (reading.kind === 'none') return pending(`${lacks}, and the gateway has no such proof`);
  if (reading.kind === 'unread')
    return pending(`${lacks}, and the gateway's record is unknown: ${reading.message}`);
  const other = recordFault(reading.record, proof);
  if (other !== null) return settled(fails(other));
  const { inclusion, status, refusal } = reading.record;
  if (status === 'refused') {
    const why = refusal ? `: ${refusal}` : '';
    return pending(`${lacks}, and the gateway says that the proof ledger refuses it${why}`);
  }
  if (inclusion === undefined) return pending(`${lacks} yet: the gateway says that it is pending`);
  if (block < inclusion.blockNumber) {
    return pending(
      `${lacks} yet: its node is at block ${block}, but the record is in block ${inclusion.blockNumber}`,
    );
  }
  // Pending, because another node behind the same address may have the block.
  const denied = fails(`${lacks}, although the gateway names block ${inclusion.blockNumber}`);
  return { ...denied, recordedAt: null, isPending: true };
}

/**
 * The inference is recorded in another place than the saved record says. A new record of the gateway decides.
 */
function moved({ txHash, blockNumber }: LedgerInclusion, recordedAt: number): InclusionFinding {
  const where = `the transaction ${txHash} in block ${blockNumber}`;
  const why = 'the record was changed, or a reorganisation moved the inference';
  const sentence = `the inference is recorded, but not by ${where} of the record: ${why}`;
  return { ...cannotTell(sentence), recordedAt, isPending: true };
}

function settled(finding: Finding, recordedAt: number | null = null): InclusionFinding {
  return { ...finding, recordedAt, isPending: false };
}

function pending(sentence: string): InclusionFinding {
  return { ...cannotTell(sentence), recordedAt: null, isPending: true };
}
