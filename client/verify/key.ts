import type { InferenceProof } from '@paid-inference/contract/types';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import type { LedgerKey } from './ledger.ts';
import { type RecordReading, recordFault } from './record.ts';

/**
 * Whether the ledger knows the key that signed, with the evidence that the proof names, and had not revoked it. The time
 * in a proof is the signer's own: against a key that was revoked later, only a record that is older helps.
 * `recordedAt` is when the ledger recorded this proof, by its own clock; null where it did not. `early` is why a key that is
 * not registered may be yet; null where nothing says so.
 */
export function checkKey(
  proof: InferenceProof,
  key: LedgerKey,
  recordedAt: number | null,
  early: string | null,
): Finding {
  const { signer, attestation, timestamp } = proof;
  if (key.registeredAt === 0) {
    const lacks = `the key ${signer} is not registered on the ledger`;
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
    `the key was revoked at ${revoked}, and only its own word says that the inference is older`,
  );
}

/** A gateway registers its key when it starts, without holding up what it sells meanwhile. */
const registrationSeconds = 30;

/**
 * Why a key that the ledger lacked at this block may be registered yet: the gateway's record of just this proof says that
 * it waits for the ledger, the node lacks blocks, or the inference is of this moment. Null where none is so.
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
      return `the node is at block ${block}, and the record in block ${inclusion.blockNumber}`;
    }
  }
  const age = nowSeconds - proof.timestamp;
  return Math.abs(age) < registrationSeconds ? 'the inference is of this moment' : null;
}

/** As a date where it is one; a ledger or a document may say anything. */
export function shown(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? String(unixSeconds) : date.toISOString().replace('.000Z', 'Z');
}
