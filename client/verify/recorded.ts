import type { InferenceProof, ProofRecord, SavedExchange } from '@paid-inference/contract/types';
import { asked } from './asked.ts';
import { cannotTell, type Finding, fails } from './finding.ts';
import type { GatewayStatements } from './gateway-statements.ts';
import { checkInclusion, type InclusionFinding } from './inclusion.ts';
import { checkKey, earlyBecause } from './key.ts';
import type { InferenceLedger } from './ledger.ts';
import type { RecordReading } from './record.ts';
import { checkSignature, ledgerFault } from './signature.ts';
import { lookUntil, type Waiting } from './waiting.ts';

/** The input of the steps that need the proof ledger. */
export type RecordedCase = {
  readonly exchange: SavedExchange;
  readonly proof: InferenceProof;
  /** Null when no RPC endpoint of its chain was given. */
  readonly ledger: InferenceLedger | null;
  /** The pinned contract; null when none was given. */
  readonly contract: string | null;
  readonly gateway: GatewayStatements;
  readonly waiting: Waiting;
};

export type Recorded = {
  readonly signature: Finding;
  readonly key: Finding;
  readonly inclusion: Finding;
  /** The gateway's record, if the proof ledger confirmed it. */
  readonly record: ProofRecord | null;
};

/**
 * Checks signature, key and inclusion. All three need the proof ledger's address, the last two also its chain.
 */
export async function checkRecorded(given: RecordedCase): Promise<Recorded> {
  const { proof, ledger, contract } = given;
  if (ledger === null) {
    const why = cannotTell('no RPC endpoint of the proof ledger was given');
    return withoutLedger(checkSignature(proof, { chainId: null, contract }), why);
  }
  const chain = await asked("the proof ledger's node", ledger.chainId());
  const expected = { chainId: chain.ok ? chain.value : null, contract };
  const signature = checkSignature(proof, expected);
  if (!chain.ok) return withoutLedger(signature, cannotTell(chain.message));
  if (ledgerFault(proof.ledger, expected) !== null) {
    return withoutLedger(signature, cannotTell('not checked: the proof is for another proof ledger'));
  }
  const code = await asked("the proof ledger's node", ledger.exists());
  if (!code.ok) return withoutLedger(signature, cannotTell(code.message));
  const { verifyingContract, chainId } = proof.ledger;
  if (!code.value) {
    return withoutLedger(
      signature,
      fails(`there is no contract at ${verifyingContract} on chain ${chainId}`),
    );
  }
  // A gateway registers its key after the start and records proofs after the payment, so both may be late.
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
    asked("the proof ledger's node", checkInclusion(exchange, proof, ledger, word));
  let reading = await readRecord(given);
  let checked = await check(reading);
  if (exchange.proof?.status === 'recorded' && checked.ok && checked.value.isPending) {
    // A reorganisation may have moved a record that was final when it was saved.
    const said = await gateway.record(proof.proofId);
    if (said.kind === 'record') [reading, checked] = [said, await check(said)];
  }
  const inclusion = checked.ok
    ? checked.value
    : { ...cannotTell(checked.message), recordedAt: null, isPending: false };
  const record = reading.kind === 'record' ? reading.record : null;
  const block = await asked("the proof ledger's node", ledger.blockNumber());
  const key = await asked("the proof ledger's node", ledger.key(proof.signer));
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

/** Asks the gateway again for a record that was saved as pending. A recorded one hardly ever changes. */
async function readRecord({ exchange, proof, gateway }: RecordedCase): Promise<RecordReading> {
  const saved = exchange.proof;
  if (saved?.status === 'recorded') return { kind: 'record', record: saved };
  const said = await gateway.record(proof.proofId);
  return said.kind === 'unread' && saved !== undefined ? { kind: 'record', record: saved } : said;
}

/** Drops the reason of an earlier refusal, which the proof ledger cannot confirm. */
function withoutRefusal({ refusal: _, ...record }: ProofRecord): ProofRecord {
  return record;
}
