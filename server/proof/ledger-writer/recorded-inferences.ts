import type { Log } from '../../observe/log.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Bytes32 } from '../../types/units.ts';
import { ledgerInterface } from './ledger-call.ts';
import type { FoundEvent } from './ledger-events.ts';
import { silent } from './writer-issues.ts';

/** What the ledger has under the ids of some proofs; those that it has nothing of are in neither. */
export type RecordedInferences = {
  /** These very inferences, and where each was recorded. */
  readonly own: ReadonlyMap<Bytes32, Inclusion>;
  /** Ids under which another inference is recorded: the contract will never take this one (D-86). */
  readonly taken: ReadonlySet<Bytes32>;
};

/** Ids that are remembered as told. With more of them, one may be told again. */
const toldMax = 1_000;

/**
 * Tells records of proofs from records of something else under their ids. An id is only a name, which anybody can read in
 * a header before it is recorded: the event must have the proof's own signer, hashes, model and time too. An id that is
 * taken is an error in the log, once.
 */
export function createRecordCheck(log: Pick<Log, 'error'>) {
  const told = new Set<Bytes32>();

  return (proofs: readonly SignedProof[], events: ReadonlyMap<Bytes32, FoundEvent>): RecordedInferences => {
    const own = new Map<Bytes32, Inclusion>();
    const taken = new Set<Bytes32>();
    for (const proof of proofs) {
      const { proofId } = proof;
      const event = events.get(proofId);
      if (event === undefined) continue;
      if (isRecordOf(proof, event)) own.set(proofId, event);
      else taken.add(proofId);
    }
    for (const proofId of taken) tell(proofId, events.get(proofId)?.txHash);
    return { own, taken };
  };

  function tell(proofId: Bytes32, txHash: Bytes32 | undefined): void {
    if (told.has(proofId)) return;
    if (told.size >= toldMax) told.clear();
    told.add(proofId);
    log.error({ proofId, txHash }, `the ledger has another inference under the id ${proofId}`);
  }
}

/** Throws `WriterIssues` for what is no such event: then the node says nothing of it. */
function isRecordOf(proof: SignedProof, { log }: FoundEvent): boolean {
  const { topics, data } = log;
  const names = ['proofId', 'signer', 'inputHash', 'outputHash', 'modelHash'] as const;
  try {
    const values = ledgerInterface.decodeEventLog('InferenceRecorded', data, topics);
    return (
      BigInt(values['timestamp']) === BigInt(proof.timestamp) &&
      names.every((name) => String(values[name]).toLowerCase() === proof[name].toLowerCase())
    );
  } catch {
    throw silent({ message: `the node gives no event of ${proof.proofId}` });
  }
}
