import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof, LedgerInclusion, SavedExchange } from '@paid-inference/contract/types';
import { headersOf } from '../saved-exchange.ts';
import { settlementTypeDefault } from '../settlement-type.ts';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { shown } from './key.ts';
import { leafHashOf, rootOf } from './leaf.ts';
import type { InferenceLedger, RecordedInference } from './ledger.ts';
import { isSameStatement, type RecordReading, recordFault } from './record.ts';
import { signedTypeOf } from './signature.ts';

export type InclusionFinding = Finding & {
  /** When the ledger recorded it, by its own clock; null where it did not. */
  readonly recordedAt: number | null;
  /** Not recorded yet, as far as can be told: it may be otherwise in a moment. */
  readonly isPending: boolean;
};

/**
 * Whether the ledger has of this inference what its settlement mode says and nothing more (contract §4.3): nothing,
 * its hashes, or a root that it lies under. Rejects when the ledger's node does not answer.
 */
export async function checkInclusion(
  { request }: SavedExchange,
  proof: InferenceProof,
  ledger: InferenceLedger,
  reading: RecordReading,
): Promise<InclusionFinding> {
  const asked = headersOf(request).get(headerNames.settlementType) ?? settlementTypeDefault;
  if (asked !== proof.settlementType) {
    return settled(fails(`${asked} was asked for, and the proof is for ${proof.settlementType}`));
  }
  const signedFor = signedTypeOf(proof);
  if (signedFor !== null && signedFor !== proof.settlementType) {
    return settled(cannotTell(`not asked: the proof was signed for ${signedFor}`));
  }
  // Before anything is looked up: what the node gets meanwhile must not look as if it had been there.
  const looked: Looked = { proof, ledger, reading, block: await ledger.blockNumber() };
  const isRecorded = await ledger.isRecorded(proof.proofId);
  if (proof.settlementType === 'individual') {
    return isRecorded ? checkEvent(looked) : missing(looked, 'this inference');
  }
  const other = isRecorded ? await ledger.recorded(proof.proofId, null) : null;
  if (isRecorded && other === null) return settled(cannotTell(noEvent));
  if (other !== null && hasHashesOf(other, proof)) {
    const whose = isSameHex(other.signer, proof.signer) ? '' : `, by the key ${other.signer}`;
    return settled(fails(`${asked} was asked for, and the ledger has the hashes of this inference${whose}`));
  }
  return proof.settlementType === 'batch' ? checkBatch(looked) : settled(checkPrivate(reading, other));
}

/** What is looked at, by a node that had this block before. */
type Looked = {
  readonly proof: InferenceProof;
  readonly ledger: InferenceLedger;
  readonly reading: RecordReading;
  readonly block: number;
};

const noEvent = 'the ledger has it recorded, and its node no event that says with what';

/** Whoever may record can take an id with a statement of their own (D-86), which then says nothing of this inference. */
function hasHashesOf({ statement }: RecordedInference, proof: InferenceProof): boolean {
  return (['inputHash', 'outputHash'] as const).some((name) => isSameHex(statement[name], proof[name]));
}

function checkPrivate(reading: RecordReading, other: RecordedInference | null): Finding {
  if (reading.kind === 'record')
    return fails('private was asked for, and the gateway has kept a proof of it');
  const kept = reading.kind === 'none' ? ', and the gateway has kept nothing' : '';
  const taken = other === null ? '' : ` (what has its id is another, by the key ${other.signer})`;
  return holds(`private: the ledger has nothing of this inference${taken}${kept}`);
}

async function checkEvent({ proof, ledger, reading }: Looked): Promise<InclusionFinding> {
  const txHash = reading.kind === 'record' ? (reading.record.inclusion?.txHash ?? null) : null;
  const found = await ledger.recorded(proof.proofId, txHash);
  if (found === null) return settled(cannotTell(noEvent));
  const { recordedAt, blockNumber } = found;
  if (!isSameHex(found.signer, proof.signer) || !isSameStatement(found.statement, proof)) {
    return settled(fails('what the ledger recorded under this id is another inference'), recordedAt);
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
    holds(`its hashes are recorded on the ledger since ${shown(recordedAt)}, in ${found.txHash}`),
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
  if (root === null || size === null || path === null) return pending('it waits for its batch to be formed');
  const leafHash = leafHashOf(proof);
  if (!isSameHex(rootOf(leafHash, path), root)) {
    return settled(fails(`the path does not lead from this proof to the root ${short(root)}`));
  }
  const batch = await ledger.batch(root);
  if (batch.sequence === 0n) return missing(looked, `a batch with the root ${short(root)}`);
  if (batch.size !== BigInt(size)) {
    return settled(
      fails(`the batch has ${batch.size} inferences on the ledger, and ${size} in the gateway's word`),
    );
  }
  if (!(await ledger.verifyInBatch(root, proof, path))) {
    return settled(fails(`the ledger contract does not find this proof under the root ${short(root)}`));
  }
  const { inclusion } = record;
  if (inclusion !== undefined && (await ledger.batchAt(root, inclusion.txHash)) !== inclusion.blockNumber) {
    return moved(inclusion, batch.recordedAt);
  }
  const where = `batch ${batch.sequence} of ${batch.size}, recorded at ${shown(batch.recordedAt)}`;
  return settled(
    holds(`it lies under the root of ${where}, as the ledger contract confirms`),
    batch.recordedAt,
  );
}

/** The ledger lacks it. A node that lags behind the block that the gateway names is no proof of that. */
function missing({ proof, reading, block }: Looked, what: string): InclusionFinding {
  const lacks = `the ledger does not have ${what}`;
  if (reading.kind === 'none') return pending(`${lacks}, and the gateway knows no such proof`);
  if (reading.kind === 'unread') return pending(`${lacks} so far as can be told: ${reading.message}`);
  const other = recordFault(reading.record, proof);
  if (other !== null) return settled(fails(other));
  const { inclusion, status, refusal } = reading.record;
  if (status === 'refused')
    return pending(`${lacks}, and refuses it${refusal ? `, so the gateway says: ${refusal}` : ''}`);
  if (inclusion === undefined) return pending(`${lacks} yet: the gateway says that it is pending`);
  if (block < inclusion.blockNumber) {
    return pending(
      `${lacks} yet: its node is at block ${block}, and the record in block ${inclusion.blockNumber}`,
    );
  }
  // Nodes behind one address need not have the same blocks, so that this one is looked at again, too.
  const denied = fails(`${lacks}, although the gateway says that block ${inclusion.blockNumber} does`);
  return { ...denied, recordedAt: null, isPending: true };
}

/** It is recorded, and elsewhere than somebody wrote down. Whoever asks the gateway anew can tell which of the two it is. */
function moved({ txHash, blockNumber }: LedgerInclusion, recordedAt: number): InclusionFinding {
  const where = `the transaction ${txHash} in block ${blockNumber}`;
  const why = 'either was changed, or a reorganisation of the ledger moved it';
  const sentence = `it is recorded, and not by ${where}, as its record says: ${why}`;
  return { ...cannotTell(sentence), recordedAt, isPending: true };
}

function settled(finding: Finding, recordedAt: number | null = null): InclusionFinding {
  return { ...finding, recordedAt, isPending: false };
}

function pending(sentence: string): InclusionFinding {
  return { ...cannotTell(sentence), recordedAt: null, isPending: true };
}
