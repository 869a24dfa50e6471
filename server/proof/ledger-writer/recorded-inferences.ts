import { parseWords, readBytes } from '../../chain/abi.ts';
import { addressWord, bytes32Word, uint256Word } from '../../chain/word.ts';
import type { Log } from '../../observe/log.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import type { Bytes32 } from '../../types/units.ts';
import type { FoundEvent } from './ledger-events.ts';
import { silent } from './writer-issues.ts';

/** The records under the ids of some proofs. A proof without a record is in neither. */
export type RecordedInferences = {
  /** The records of these proofs, with their transactions. */
  readonly own: ReadonlyMap<Bytes32, Inclusion>;
  /** Ids under which another inference is recorded. The contract can never accept these proofs (D-86). */
  readonly taken: ReadonlySet<Bytes32>;
};

/** The most ids that are remembered as logged. With more ids, an id may be logged again. */
const loggedMax = 1_000;

/**
 * Checks whether records belong to proofs. An id is only a name, which everybody can read in a header before it
 * is recorded. So the event must also have the proof's signer, hashes, model and time. Logs an id of another
 * inference once, as an error.
 */
export function createRecordCheck(log: Pick<Log, 'error'>) {
  const logged = new Set<Bytes32>();

  return (proofs: readonly SignedProof[], events: ReadonlyMap<Bytes32, FoundEvent>): RecordedInferences => {
    const own = new Map<Bytes32, Inclusion>();
    const taken = new Set<Bytes32>();
    for (const proof of proofs) {
      const { proofId } = proof;
      const event = events.get(proofId);
      if (event === undefined) continue;
      if (isSameInference(proof, event)) own.set(proofId, event);
      else taken.add(proofId);
    }
    for (const proofId of taken) logOnce(proofId, events.get(proofId)?.txHash);
    return { own, taken };
  };

  function logOnce(proofId: Bytes32, txHash: Bytes32 | undefined): void {
    if (logged.has(proofId)) return;
    if (logged.size >= loggedMax) logged.clear();
    logged.add(proofId);
    log.error({ proofId, txHash }, `the proof ledger has another inference under the id ${proofId}`);
  }
}

/** Throws `WriterIssues` for an event that cannot be decoded, because the node's response is invalid. */
function isSameInference(proof: SignedProof, { log: { topics, data } }: FoundEvent): boolean {
  const indexed = parseWords(`0x${topics.map((topic) => topic.slice(2)).join('')}`, 3);
  const words = parseWords(data, 5);
  if (indexed === null || words === null || readBytes(words, 4) === null)
    throw silent({ message: `the node returned no event of ${proof.proofId}` });
  const { proofId, signer, inputHash, outputHash, modelHash, timestamp } = proof;
  const expected = [
    bytes32Word(proofId),
    addressWord(signer),
    ...[inputHash, outputHash, modelHash].map(bytes32Word),
    uint256Word(BigInt(timestamp)),
  ];
  const found = [...indexed.slice(1, 3), ...words.slice(0, 4)];
  return expected.every((word, at) => word.toLowerCase() === found[at]);
}
