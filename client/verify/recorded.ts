import type { InferenceProof, ProofRecord, SavedExchange } from '@paid-inference/contract/types';
import { asked } from './asked.ts';
import { cannotTell, type Finding, fails } from './finding.ts';
import type { GatewayWord } from './gateway-word.ts';
import { checkInclusion, type InclusionFinding } from './inclusion.ts';
import { checkKey, earlyBecause } from './key.ts';
import type { InferenceLedger } from './ledger.ts';
import type { RecordReading } from './record.ts';
import { checkSignature, ledgerFault } from './signature.ts';
import { lookUntil, type Waiting } from './waiting.ts';

/** What is checked against the ledger network. */
export type RecordedCase = {
  readonly exchange: SavedExchange;
  readonly proof: InferenceProof;
  /** Null where no node of it was named. */
  readonly ledger: InferenceLedger | null;
  /** The contract that the caller trusts, where one was named. */
  readonly contract: string | null;
  readonly gateway: GatewayWord;
  readonly waiting: Waiting;
};

export type Recorded = {
  readonly signature: Finding;
  readonly key: Finding;
  readonly inclusion: Finding;
  /** The gateway's record, where the ledger confirmed it. */
  readonly record: ProofRecord | null;
};

/** Signature, key and inclusion: the steps that need to know which ledger is meant, and two of them what it says. */
export async function checkRecorded(given: RecordedCase): Promise<Recorded> {
  const { proof, ledger, contract } = given;
  if (ledger === null) {
    const why = cannotTell('no node of the ledger network was named');
    return withoutLedger(checkSignature(proof, { chainId: null, contract }), why);
  }
  const chain = await asked("the ledger's node", ledger.chainId());
  const expected = { chainId: chain.ok ? chain.value : null, contract };
  const signature = checkSignature(proof, expected);
  if (!chain.ok) return withoutLedger(signature, cannotTell(chain.message));
  if (ledgerFault(proof.ledger, expected) !== null) {
    return withoutLedger(signature, cannotTell('not asked: the proof is for another ledger'));
  }
  const code = await asked("the ledger's node", ledger.exists());
  if (!code.ok) return withoutLedger(signature, cannotTell(code.message));
  const { verifyingContract, chainId } = proof.ledger;
  if (!code.value) {
    return withoutLedger(
      signature,
      fails(`there is no contract at ${verifyingContract} on chain ${chainId}`),
    );
  }
  // A gateway registers its key when it starts and records after it was paid, both without holding anybody up.
  const { inclusion, record, key } = await lookUntil(
    () => lookOnce(given, ledger),
    (found) => found.inclusion.isPending || found.isKeyMissing,
    given.waiting,
  );
  return {
    signature,
    key,
    inclusion: { verdict: inclusion.verdict, sentence: inclusion.sentence },
    record: inclusion.verdict === 'true' && record !== null ? withoutRefusal(record) : null,
  };
}

function withoutLedger(signature: Finding, why: Finding): Recorded {
  return { signature, key: why, inclusion: why, record: null };
}

type Found = {
  readonly inclusion: InclusionFinding;
  readonly record: ProofRecord | null;
  readonly key: Finding;
  readonly isKeyMissing: boolean;
};

async function lookOnce(given: RecordedCase, ledger: InferenceLedger): Promise<Found> {
  const { exchange, proof, gateway, waiting } = given;
  const check = (word: RecordReading) =>
    asked("the ledger's node", checkInclusion(exchange, proof, ledger, word));
  let reading = await readRecord(given);
  let checked = await check(reading);
  if (exchange.proof?.status === 'recorded' && checked.ok && checked.value.isPending) {
    // A reorganisation may have moved what was final when it was saved.
    const said = await gateway.record(proof.proofId);
    if (said.kind === 'record') [reading, checked] = [said, await check(said)];
  }
  const inclusion = checked.ok
    ? checked.value
    : { ...cannotTell(checked.message), recordedAt: null, isPending: false };
  const record = reading.kind === 'record' ? reading.record : null;
  const block = await asked("the ledger's node", ledger.blockNumber());
  const key = await asked("the ledger's node", ledger.key(proof.signer));
  if (!block.ok) return { inclusion, record, key: cannotTell(block.message), isKeyMissing: false };
  if (!key.ok) return { inclusion, record, key: cannotTell(key.message), isKeyMissing: false };
  const early = earlyBecause(proof, reading, block.value, waiting.clock.nowSeconds());
  return {
    inclusion,
    record,
    key: checkKey(proof, key.value, inclusion.recordedAt, early),
    isKeyMissing: key.value.registeredAt === 0,
  };
}

/** A record that was saved while it was pending is asked for anew; a recorded one hardly ever changes. */
async function readRecord({ exchange, proof, gateway }: RecordedCase): Promise<RecordReading> {
  const saved = exchange.proof;
  if (saved?.status === 'recorded') return { kind: 'record', record: saved };
  const said = await gateway.record(proof.proofId);
  return said.kind === 'unread' && saved !== undefined ? { kind: 'record', record: saved } : said;
}

/** What was refused once and is recorded now; nothing on the ledger says why that was. */
function withoutRefusal({ refusal: _, ...record }: ProofRecord): ProofRecord {
  return record;
}
