import { randomBytes } from 'node:crypto';
import { canonicalization } from '@paid-inference/contract/constants';
import { encodeInferenceProof } from '@paid-inference/contract/headers';
import type {
  AttestationSummary,
  InferenceProof,
  LedgerDomain,
  SettlementType,
} from '@paid-inference/contract/types';
import { toBytes32 } from '../chain/bytes.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { KeptProof } from '../store/proof-store.ts';
import type { Clock } from '../types/clock.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import type { CanonicalHash } from './canonical-hash.ts';
import type { EnclaveKey } from './enclave-key.ts';
import { createStatementDigest } from './statement.ts';

/** A complete inference, before its payment settles. */
type ProvableInference = {
  readonly inputHash: Bytes32;
  /** The response body as it will be sent, in JSON. */
  readonly completion: string;
  /** The model's catalog identifier. */
  readonly model: string;
  readonly settlementType: SettlementType;
};

/** The proof for the client, and its record, which is null in `private` mode (contract §4.3). */
type Proven = KeptProof & { readonly proof: InferenceProof };

/** Signs inferences with the enclave key (D-68). */
export type Prover = {
  readonly signer: Address;
  /** Throws for a response without a canonical form. The gateway composed the response, so that is a defect. */
  prove(inference: ProvableInference): Proven;
};

export type ProverPorts = {
  readonly keccak: Keccak256;
  readonly canonicalHash: CanonicalHash;
  readonly clock: Clock;
  readonly key: EnclaveKey;
  /** The EIP-712 domain of the signature. The proof is recorded on this ledger. */
  readonly ledger: LedgerDomain & { readonly verifyingContract: Address };
  readonly attestation: AttestationSummary;
};

export function createProver(ports: ProverPorts): Prover {
  const { keccak, canonicalHash, clock, key, ledger, attestation } = ports;
  const hashStatement = createStatementDigest(keccak, ledger);
  return {
    signer: key.address,
    prove({ inputHash, completion, model, settlementType }) {
      const outputHash = canonicalHash(JSON.parse(completion));
      if (outputHash === null) throw new Error('a response that the gateway composed has no canonical form');
      const statement = {
        proofId: toBytes32(randomBytes(32)),
        inputHash,
        outputHash,
        modelHash: toBytes32(keccak(Buffer.from(model))),
        timestamp: clock.nowSeconds(),
        settlementType,
      };
      const signed = { ...statement, signer: key.address, signature: key.sign(hashStatement(statement)) };
      const proof = { ...signed, canonicalization, attestation, ledger } as const;
      return {
        proof,
        header: encodeInferenceProof(proof),
        record: settlementType === 'private' ? null : { ...signed, settlementType },
      };
    },
  };
}
