import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import type { Keccak256 } from './chain/keccak.ts';
import { loadNativeCurve } from './chain/native-curve.ts';
import type { AttestationSettings } from './config/attestation.ts';
import type { Log } from './observe/log.ts';
import type { Attester } from './proof/attestation/attester.ts';
import { openAttester } from './proof/attestation/open-attester.ts';
import type { CanonicalHash } from './proof/canonical-hash.ts';
import { createEnclaveKey } from './proof/enclave-key.ts';
import type { ProofStore } from './proof/proof-store.ts';
import { createProver, type Prover } from './proof/prover.ts';
import type { Clock } from './vocabulary/clock.ts';
import { fail, ok, type Result } from './vocabulary/result.ts';
import type { Address } from './vocabulary/units.ts';

/** What inferences are proven with: a key of this start, who speaks for it, and where proofs are recorded. */
export type OpenProofs = {
  readonly prover: Prover;
  readonly attester: Attester;
  readonly ledger: LedgerDomain;
};

export type OpenProofsOptions = {
  /** The contract that proofs are recorded in, and its chain. */
  readonly ledger: { readonly chainId: number; readonly contract: Address };
  readonly settings: AttestationSettings;
  readonly store: Pick<ProofStore, 'addSigner' | 'findSigner'>;
  readonly keccak: Keccak256;
  readonly canonicalHash: CanonicalHash;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Makes the enclave key and has it attested to, and writes both down before the key signs anything: after a crash whoever
 * comes next must still be able to register it. Faults are sentences for the operator.
 */
export async function openProofs(options: OpenProofsOptions): Promise<Result<OpenProofs, readonly string[]>> {
  const { store, keccak } = options;
  const { chainId, contract: verifyingContract } = options.ledger;
  const ledger = {
    name: ledgerDomainName,
    version: ledgerDomainVersion,
    chainId,
    verifyingContract,
  } as const;
  const key = createEnclaveKey(keccak, await loadNativeCurve());
  const attester = await openAttester({ ...options, enclaveKey: key, ledger, proofStore: store });
  if (!attester.ok) return fail([attester.fault]);
  const { boot, summary: attestation } = attester.value;
  await store.addSigner(key.address, JSON.stringify(boot));
  const prover = createProver({ ...options, key, ledger, attestation });
  return ok({ prover, attester: attester.value, ledger });
}
