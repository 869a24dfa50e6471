import type { InferenceProof } from '@paid-inference/contract/types';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import type { LedgerKey } from './ledger.ts';
import { type RecordReading, recordFault } from './record.ts';

/**
 * Whether the proof ledger has the signing key with the evidence of the proof, and had not revoked it. The time
 * in a proof is the signer's claim, so only an older record proves that the inference came before a revocation.
 * `recordedAt` is the time of the proof's record on the chain; null without a record. `early` is the reason why
 * an unregistered key may be registered soon; null without one.
 */
export function checkKey(
  proof: InferenceProof,
  key: LedgerKey,
  recordedAt: number | null,
  early: string | null,
): Finding {
  const { signer, attestation, timestamp } = proof;
  if (key.registeredAt === 0) {
    const lacks = `the key ${signer} is not registered on the proof ledger`;
    return early === null ? fails(lacks) : cannotTell(`${lacks} yet: ${early}`);
  }
  if (!isSameHex(key.attestationHash, attestation.evidenceHash)) {
    const known = short(key.attestationHash);
    return fails(
      `the key is registered with other evidence (${known}) than the proof names (${short(attestation.evidenceHash)})`,
    );
  }
  const registered = `the key ${signer} is registered since ${shown(key.registeredAt)}`;
  if (key.revokedAt === 0) return holds(`${registered}, with the evidence that the proof names`);
  const revoked = shown(key.revokedAt);
  if (timestamp >= key.revokedAt)
    return fails(`the key ${signer} was revoked at ${revoked}, before the inference`);
  if (recordedAt !== null && recordedAt <= key.revokedAt) {
    return holds(`${registered}; it was revoked at ${revoked}, after this inference was recorded`);
  }
  return cannotTell(
    `the key was revoked at ${revoked}, and only the key itself dates the inference before that`,
  );
}

/** A gateway registers its key after the start and sells meanwhile. */
const registrationSeconds = 30;

/**
 * The reason why a missing key may be registered soon: the gateway's record of this proof is pending or
 * refused, the node is behind the record's block, or the inference is only seconds old. Null without a reason.
 */
export function earlyBecause(
  proof: InferenceProof,
  reading: RecordReading,
  block: number,
  nowSeconds: number,
): string | null {
  if (reading.kind === 'record' && recordFault(reading.record, proof) === null) {
    const { status, inclusion, refusal } = reading.record;
    if (status === 'pending') return 'the gateway says that the proof is pending';
    if (status === 'refused') {
      return `the gateway says that the ledger refuses the proof${refusal === undefined ? '' : `: ${refusal}`}`;
    }
    if (inclusion !== undefined && block < inclusion.blockNumber) {
      return `the node is at block ${block}, but the record is in block ${inclusion.blockNumber}`;
    }
  }
  const age = nowSeconds - proof.timestamp;
  return Math.abs(age) < registrationSeconds ? 'the inference is only seconds old' : null;
}

/** An ISO date, or the number itself when it is no valid date. */
export function shown(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? String(unixSeconds) : date.toISOString().replace('.000Z', 'Z');
}
