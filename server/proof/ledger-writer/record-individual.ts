import type { ParkedProofs, SignedProof } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import { type Address, type Bytes32, unixSeconds } from '../../types/units.ts';
import { recordInferencesCall } from './ledger-call.ts';
import type { FoundEvent } from './ledger-events.ts';
import { describeKeyFault } from './ledger-view.ts';
import { createRecordCheck } from './recorded-inferences.ts';
import { WriterIssues } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

/** The most inferences of one transaction. More would hardly reduce the price of each. */
const inferencesPerTransaction = 20;
/** The most transactions of one round. Then the batches have their turn. */
const transactionsPerRound = 4;
/** Parked proofs are counted up to this number. */
const parkedMax = 1_000;
/**
 * How far an enclave's clock may be ahead of the chain. The search for a record starts so long before its
 * inference.
 */
const clockSlackSeconds = 600;

/** The contract's errors that concern one proof and its signer, and no other proof of the transaction. */
const ownFaults = [
  'UnknownSigner',
  'RevokedSigner',
  'ECDSAInvalidSignature',
  'ECDSAInvalidSignatureLength',
  'ECDSAInvalidSignatureS',
];

/** Records the proofs of `individual` mode, several in a transaction, each with its own event. */
export interface IndividualRecorder {
  record(): Promise<void>;
  /** Why some proofs are parked, as a sentence for the operator; null when none is. */
  healthIssue(): string | null;
}

export type RecorderLimits = {
  /** The shortest pause before a parked proof is checked again. */
  readonly retryMsMax: number;
};

export function createIndividualRecorder(
  ports: WriterPorts & { readonly limits: RecorderLimits },
): IndividualRecorder {
  const { store, ledger, contract, view, events, sender, clock, limits, closing } = ports;
  let parked: ParkedProofs = { proofs: 0, refusal: null };
  let timesParked = 0;
  const checkRecords = createRecordCheck(ports.log);

  return {
    async record() {
      for (let sent = 0; sent < transactionsPerRound && !closing.aborted; sent++) {
        const due = await store.dueIndividual(ledger, inferencesPerTransaction);
        if (due.length === 0) break;
        await recordSome(due);
      }
      await checkAgain();
      parked = await store.parked(ledger, parkedMax);
    },
    healthIssue: () => describeParked(parked),
  };

  /**
   * Checks parked proofs again, because a key may be registered late. A round takes one page, and the next page
   * only when all proofs of the last were recorded. So a round sends few calls, however many proofs are refused
   * for good.
   */
  async function checkAgain(): Promise<void> {
    const before = unixSeconds(Math.max(0, clock.steadySeconds() - Math.floor(limits.retryMsMax / 1_000)));
    for (let looked = 0; looked < transactionsPerRound && !closing.aborted; looked++) {
      const again = await store.readParked(await ports.lease(), ledger, inferencesPerTransaction, before);
      if (again.length === 0 || !(await recordSome(again))) return;
    }
  }

  /** Records some proofs. True when none of them was parked. */
  async function recordSome(proofs: readonly SignedProof[]): Promise<boolean> {
    const before = timesParked;
    const open = await withoutRecorded(proofs);
    const accepted = open.length > 0 ? await withoutRefused(open) : [];
    if (accepted.length > 0) await send(accepted);
    return timesParked === before;
  }

  /** Removes recorded proofs. The contract would skip them, but a transaction for them would waste gas. */
  async function withoutRecorded(due: readonly SignedProof[]): Promise<readonly SignedProof[]> {
    const isRecorded = await Promise.all(due.map(({ proofId }) => view.isRecorded(proofId)));
    const recorded = due.filter((_, at) => isRecorded[at]);
    if (recorded.length === 0) return due;
    const found = await findRecorded(ports, recorded);
    const { own: inclusions, taken } = checkRecords(recorded, found);
    const ids = recorded.map(({ proofId }) => proofId);
    await markByTransaction(ports, ids, inclusions);
    const takenSentence = 'another inference is recorded under its id';
    await park(new Map(ids.filter((id) => !found.has(id)).map((id) => [id, null])));
    await park(new Map([...taken].map((id) => [id, takenSentence])));
    return due.filter((_, at) => !isRecorded[at]);
  }

  /** Removes refused proofs, each of which would make the whole transaction fail. */
  async function withoutRefused(open: readonly SignedProof[]): Promise<readonly SignedProof[]> {
    const refused = await findRefusals(ports, open);
    await park(refused);
    return open.filter(({ proofId }) => !refused.has(proofId));
  }

  async function send(proofs: readonly SignedProof[]): Promise<void> {
    const mined = await sender.send(recordInferencesCall(contract, proofs));
    if (mined === null) return;
    const recorded = [...checkRecords(proofs, events.eventsIn('InferenceRecorded', mined)).own.keys()];
    if (recorded.length === 0)
      throw new WriterIssues(`the transaction ${mined.txHash} was mined but recorded nothing`);
    await markRecorded(ports, recorded, mined);
  }

  /** Parks proofs with their refusals; null for a proof that is recorded in an unknown block. */
  async function park(refusals: ReadonlyMap<Bytes32, string | null>): Promise<void> {
    const byRefusal = Map.groupBy(refusals, ([, refusal]) => refusal);
    for (const [refusal, entries] of byRefusal) {
      timesParked += 1;
      const ids = entries.map(([id]) => id);
      await store.park(await ports.lease(), ids, refusal);
    }
  }
}

/** Searches the newest blocks, then for each missing record the blocks from the time of its inference on. */
async function findRecorded(
  { events }: WriterPorts,
  recorded: readonly SignedProof[],
): Promise<ReadonlyMap<Bytes32, FoundEvent>> {
  const newest = await events.find(
    'InferenceRecorded',
    recorded.map(({ proofId }) => proofId),
  );
  const found = new Map(newest);
  for (const { proofId, timestamp } of recorded) {
    if (found.has(proofId)) continue;
    const since = unixSeconds(Math.max(0, timestamp - clockSlackSeconds));
    const older = await events.findSince('InferenceRecorded', proofId, since);
    if (older !== null) found.set(proofId, older);
  }
  return found;
}

/** Returns why proofs are refused. Simulates each proof alone when the call with all proofs is refused. */
async function findRefusals(
  ports: WriterPorts,
  open: readonly SignedProof[],
): Promise<Map<Bytes32, string | null>> {
  const { view, contract } = ports;
  const refused = await refusedForKey(ports, open);
  const rest = open.filter(({ proofId }) => !refused.has(proofId));
  const refusal = rest.length > 0 ? await view.findRefusal(recordInferencesCall(contract, rest)) : null;
  if (refusal !== null && !ownFaults.includes(refusal.error)) throw new WriterIssues(refusal.sentence);
  if (refusal !== null) {
    const each = await Promise.all(
      rest.map((proof) => view.findRefusal(recordInferencesCall(contract, [proof]))),
    );
    for (const [at, { proofId }] of rest.entries()) {
      const own = each[at];
      if (own) refused.set(proofId, own.sentence);
    }
  }
  return refused;
}

/** Returns the proofs that are refused because of their key. One call for each signer covers most refusals. */
async function refusedForKey(
  { view }: WriterPorts,
  open: readonly SignedProof[],
): Promise<Map<Bytes32, string | null>> {
  const signers = [...new Set(open.map(({ signer }) => signer))];
  const states = await Promise.all(signers.map((signer) => view.enclaveKey(signer)));
  const sentences = new Map<Address, string>();
  for (const [at, signer] of signers.entries()) {
    const state = states[at]?.state;
    if (state === 'unknown' || state === 'revoked') sentences.set(signer, describeKeyFault(signer, state));
  }
  const refused = open.filter(({ signer }) => sentences.has(signer));
  return new Map(refused.map(({ proofId, signer }) => [proofId, sentences.get(signer) ?? null]));
}

async function markByTransaction(
  ports: WriterPorts,
  ids: readonly Bytes32[],
  inclusions: ReadonlyMap<Bytes32, Inclusion>,
): Promise<void> {
  const byTransaction = Map.groupBy(
    ids.filter((id) => inclusions.has(id)),
    (id) => inclusions.get(id)?.txHash,
  );
  for (const ofOne of byTransaction.values()) {
    const [first] = ofOne;
    const inclusion = first && inclusions.get(first);
    if (inclusion) await markRecorded(ports, ofOne, inclusion);
  }
}

async function markRecorded(
  ports: WriterPorts,
  ids: readonly Bytes32[],
  { txHash, block, blockHash }: Inclusion,
) {
  await ports.store.recordIndividual(await ports.lease(), ids, { txHash, block, blockHash });
}

/** Describes the parked proofs for the operator; null when there are none. */
function describeParked({ proofs, refusal }: ParkedProofs): string | null {
  if (proofs === 0) return null;
  const many = proofs < parkedMax ? `${proofs}` : `${parkedMax} or more`;
  return `${many} proofs cannot be recorded: ${refusal ?? 'the proof ledger has them, but their blocks were not found. Raise advanced.logBlocksMax'}`;
}
