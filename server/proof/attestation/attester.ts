import type { Attestation, AttestationSummary, LedgerDomain } from '@paid-inference/contract/types';
import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import type { Keccak256 } from '../../chain/keccak.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import type { EnclaveKey } from '../enclave-key.ts';
import { presentAttestation, summariseAttestation } from './document.ts';
import type { AttestationProvider, ReportFault } from './provider.ts';
import { computeReportData, zeroNonce } from './report-data.ts';
import { createTurns } from './turns.ts';

/**
 * Why there is no attestation: the address never was a key of this gateway, too many requests wait for fresh
 * evidence, or the provider failed. The provider's message is for the log.
 */
type AttestFault =
  | { readonly kind: 'unknown_signer' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable'; readonly message: string };

/** Returns evidence about the machine that holds the enclave keys. */
export interface Attester {
  /** The attestation for the zero nonce, made at start. The key is registered on the proof ledger with it. */
  readonly boot: Attestation;
  /** The summary of `boot`, as inference proofs contain it. */
  readonly summary: AttestationSummary;
  /**
   * Returns the evidence of the start without a nonce, and fresh evidence with one. For the key of another
   * start or another gateway, returns the attestation that the key was registered with, whatever the nonce.
   * `site` is the client's site (D-224). Sites take turns (D-223).
   */
  attest(
    nonce: Bytes32 | null,
    signer: Address | null,
    site: string,
  ): Promise<Result<Attestation, AttestFault>>;
}

/**
 * How many requests may wait for fresh evidence, which hardware makes slowly. Further requests are rejected as
 * busy.
 */
const waitingMax = 32;

export type AttesterOptions = {
  readonly provider: AttestationProvider;
  readonly enclaveKey: EnclaveKey;
  readonly ledger: LedgerDomain;
  /** Finds keys of earlier starts and of other gateways on the same store. */
  readonly proofStore: Pick<ProofStore, 'findSigner'>;
  readonly keccak: Keccak256;
  /** How long a request may wait for its turn, without the time of the report itself. */
  readonly waitMs: number;
};

/** Makes the evidence of the start, then returns the attester. The fault is the provider's. */
export async function createAttester(options: AttesterOptions): Promise<Result<Attester, ReportFault>> {
  const { provider, enclaveKey, proofStore, waitMs } = options;
  const turns = createTurns({ concurrentMax: provider.concurrentMax, waitingMax, waitMs });
  const boot = await report(zeroNonce);
  if (!boot.ok) return boot;

  return ok({
    boot: boot.value,
    summary: summariseAttestation(boot.value),
    async attest(nonce, signer, site) {
      if (signer !== null && signer !== enclaveKey.address) return stored(signer);
      if (nonce === null || nonce === zeroNonce) return boot;
      const fresh = await turns.take(site, () => report(nonce));
      if (!fresh.ok) return fail({ kind: 'busy' });
      if (fresh.value.ok) return fresh.value;
      return fail({ kind: 'unavailable', message: `${provider.kind}: ${fresh.value.fault.message}` });
    },
  });

  async function report(nonce: Bytes32): Promise<Result<Attestation, ReportFault>> {
    const reportData = computeReportData({ publicKey: enclaveKey.publicKey, ledger: options.ledger, nonce });
    const made = await provider.attest(reportData);
    if (!made.ok) return made;
    return ok(presentAttestation({ ...options, nonce, reportData, report: made.value }));
  }

  async function stored(signer: Address): Promise<Result<Attestation, AttestFault>> {
    const record = await proofStore.findSigner(signer);
    if (record === null) return fail({ kind: 'unknown_signer' });
    const attestation: unknown = JSON.parse(record.attestation);
    if (!isAttestation(attestation))
      throw new Error(`the store holds an invalid attestation for the signer ${signer}`);
    return ok(attestation);
  }
}
