import type { Attestation, AttestationSummary, LedgerDomain } from '@paid-inference/contract/types';
import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import type { Keccak256 } from '../../chain/keccak.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import type { EnclaveKey } from '../enclave-key.ts';
import { presentAttestation, summaryOf } from './document.ts';
import type { AttestationProvider, ReportFault } from './provider.ts';
import { reportDataOf, zeroNonce } from './report-data.ts';
import { createTurns } from './turns.ts';

/**
 * Why there is no attestation: the address never was a key of this gateway, too many ask for fresh evidence at once, or
 * the provider made none; what it said is for the log.
 */
type AttestFault =
  | { readonly kind: 'unknown_signer' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable'; readonly message: string };

/** Evidence about the machine that the enclave keys live on. */
export interface Attester {
  /** For the zero nonce, made at start: what the key is registered on the ledger with. */
  readonly boot: Attestation;
  /** The same, as inference proofs name it. */
  readonly summary: AttestationSummary;
  /**
   * Without a nonce the evidence made at start, with one fresh evidence that carries it. For the key of another start or
   * another gateway, what that key was registered with, whatever the nonce.
   */
  attest(nonce: Bytes32 | null, signer: Address | null): Promise<Result<Attestation, AttestFault>>;
}

/** Fresh evidence is slow where hardware makes it; who comes when so many wait is told to come later. */
const waitingMax = 32;

export type AttesterOptions = {
  readonly provider: AttestationProvider;
  readonly enclaveKey: EnclaveKey;
  readonly ledger: LedgerDomain;
  /** Keys of earlier starts and of other gateways on the same ledger of payments. */
  readonly proofStore: Pick<ProofStore, 'findSigner'>;
  readonly keccak: Keccak256;
  /** How long one may wait for its turn; a report's own time comes on top. */
  readonly waitMs: number;
};

/** Makes the evidence of the start and stands ready for more. The fault is the provider's. */
export async function createAttester(options: AttesterOptions): Promise<Result<Attester, ReportFault>> {
  const { provider, enclaveKey, proofStore, waitMs } = options;
  const turns = createTurns({ concurrentMax: provider.concurrentMax, waitingMax, waitMs });
  const boot = await report(zeroNonce);
  if (!boot.ok) return boot;

  return ok({
    boot: boot.value,
    summary: summaryOf(boot.value),
    async attest(nonce, signer) {
      if (signer !== null && signer !== enclaveKey.address) return stored(signer);
      if (nonce === null || nonce === zeroNonce) return boot;
      const fresh = await turns.take(() => report(nonce));
      if (!fresh.ok) return fail({ kind: 'busy' });
      if (fresh.value.ok) return fresh.value;
      return fail({ kind: 'unavailable', message: `${provider.kind}: ${fresh.value.fault.message}` });
    },
  });

  async function report(nonce: Bytes32): Promise<Result<Attestation, ReportFault>> {
    const reportData = reportDataOf({ publicKey: enclaveKey.publicKey, ledger: options.ledger, nonce });
    const made = await provider.attest(reportData);
    if (!made.ok) return made;
    return ok(presentAttestation({ ...options, nonce, reportData, report: made.value }));
  }

  async function stored(signer: Address): Promise<Result<Attestation, AttestFault>> {
    const record = await proofStore.findSigner(signer);
    if (record === null) return fail({ kind: 'unknown_signer' });
    const attestation: unknown = JSON.parse(record.attestation);
    if (!isAttestation(attestation)) throw new Error('the ledger holds an attestation that is none');
    return ok(attestation);
  }
}
