import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import type { Keccak256 } from '../chain/keccak.ts';
import type { AttestationSettings } from '../config/attestation.ts';
import type { Log } from '../observe/log.ts';
import type { Attester } from '../proof/attestation/attester.ts';
import type { CanonicalHash } from '../proof/canonical-hash.ts';
import { createEnclaveKey, type EnclaveKey } from '../proof/enclave-key.ts';
import { createProver, type Prover } from '../proof/prover.ts';
import type { ProofStore } from '../store/proof-store.ts';
import type { Clock } from '../types/clock.ts';
import { nameLedger } from '../types/ledger-name.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { openAttester, reportAttester } from './open-attester.ts';

/** The parts of proving: the enclave key of this start, its attester, and the proof ledger. */
export type OpenProofs = {
  readonly prover: Prover;
  readonly attester: Attester;
  readonly ledger: LedgerDomain;
};

export type AttestOptions = {
  /** The contract that records proofs, and its chain. */
  readonly ledger: { readonly chainId: number; readonly contract: Address };
  readonly settings: AttestationSettings;
  readonly keccak: Keccak256;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
};

/** The enclave key of this start, and its attester. */
export type Attested = {
  readonly key: EnclaveKey;
  readonly attester: Attester;
  readonly ledger: LedgerDomain & { readonly verifyingContract: Address };
  /**
   * Sets the store in which the attester finds keys of other starts. It is opened in parallel with the
   * attestation.
   */
  bindStore(store: Pick<ProofStore, 'findSigner'>): void;
};

/** Creates and attests the enclave key. Faults are sentences for the operator. */
export async function attest(options: AttestOptions): Promise<Result<Attested, readonly string[]>> {
  const { chainId, contract: verifyingContract } = options.ledger;
  const ledger = {
    name: ledgerDomainName,
    version: ledgerDomainVersion,
    chainId,
    verifyingContract,
  } as const;
  const key = createEnclaveKey(options.keccak);
  let store: Pick<ProofStore, 'findSigner'> | null = null;
  const proofStore: Pick<ProofStore, 'findSigner'> = {
    findSigner(signer) {
      if (store === null) throw new Error('A signer was looked up before the store was open.');
      return store.findSigner(signer);
    },
  };
  const attester = await openAttester({ ...options, enclaveKey: key, ledger, proofStore });
  if (!attester.ok)
    return fail([
      `${attester.fault}. Run it where that hardware is, or change ATTESTATION_PROVIDER or ATTESTATION_REQUIRED.`,
    ]);
  return ok({
    key,
    attester: attester.value,
    ledger,
    bindStore(opened) {
      store = opened;
    },
  });
}

/**
 * Stores the enclave key and its evidence before the key signs anything. After a crash the next process must be
 * able to register the key.
 */
export async function openProofs(
  { key, attester, ledger }: Attested,
  ports: {
    readonly store: Pick<ProofStore, 'addSigner'>;
    readonly keccak: Keccak256;
    readonly canonicalHash: CanonicalHash;
    readonly clock: Clock;
    readonly log: Log;
  },
): Promise<OpenProofs> {
  const { boot, summary: attestation } = attester;
  reportAttester(attester, ports.log);
  const { chainId, verifyingContract } = ledger;
  await ports.store.addSigner(key.address, JSON.stringify(boot), nameLedger(chainId, verifyingContract));
  const prover = createProver({ ...ports, key, ledger, attestation });
  return { prover, attester, ledger };
}
