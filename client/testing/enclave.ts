import { attestationBinding, canonicalization } from '@paid-inference/contract/constants';
import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type {
  Attestation,
  InferenceProof,
  InferenceStatement,
  LedgerDomain,
  SettlementType,
} from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { hexlify, id, keccak256, randomBytes, SigningKey, toUtf8Bytes, Wallet } from 'ethers';
import { computeReportData, zeroNonce } from '../verify/report-data.ts';

/** The evidence of a machine for 64 bytes, in the form of a provider. */
export type Evidence = {
  readonly format: string;
  readonly evidence: Uint8Array;
  readonly certificates?: Uint8Array;
};
export type Attester = {
  readonly provider: string;
  readonly hardware: boolean;
  attest(reportData: Buffer, key: Wallet): Promise<Evidence>;
};

/** The key that signs inferences, and the evidence of its machine. */
export type Enclave = {
  readonly key: Wallet;
  readonly boot: Attestation;
  attest(nonce: string): Promise<Attestation>;
  /** Signs that this request led to this response. */
  prove(given: Proven): Promise<InferenceProof>;
};

export type Proven = {
  readonly request: unknown;
  readonly response: unknown;
  readonly model: string;
  readonly settlementType: SettlementType;
  readonly timestamp: number;
};

export async function createEnclave(ledger: LedgerDomain, attester: Attester = software): Promise<Enclave> {
  const key = new Wallet(hexlify(randomBytes(32)));
  const { publicKey } = new SigningKey(key.privateKey);
  const { provider, hardware } = attester;

  async function attest(nonce: string): Promise<Attestation> {
    const reportData = Buffer.from(computeReportData(publicKey, ledger, nonce));
    const { format, evidence, certificates } = await attester.attest(reportData, key);
    return {
      provider,
      hardware,
      statement: 'made by a test',
      signer: key.address,
      publicKey,
      binding: attestationBinding,
      ledger,
      nonce,
      reportData: hexlify(reportData),
      format,
      evidence: Buffer.from(evidence).toString('base64'),
      evidenceHash: keccak256(evidence),
      ...(certificates && { certificates: Buffer.from(certificates).toString('base64') }),
      issuedAt: 1,
    };
  }

  const boot = await attest(zeroNonce);
  const { evidenceHash } = boot;
  return {
    key,
    boot,
    attest,
    async prove({ request, response, model, settlementType, timestamp }) {
      const statement: InferenceStatement = {
        proofId: hexlify(randomBytes(32)),
        inputHash: hashBody(request),
        outputHash: hashBody(response),
        modelHash: id(model),
        timestamp,
        settlementType,
      };
      const signature = await key.signTypedData(ledger, inferenceProofTypes, statement);
      return {
        ...statement,
        signer: key.address,
        signature,
        canonicalization,
        attestation: { provider, hardware, evidenceHash },
        ledger,
      };
    },
  };
}

/** The evidence of a gateway without a trusted execution environment (D-30). */
export const software: Attester = {
  provider: 'software',
  hardware: false,
  async attest(reportData, key) {
    const said = {
      statement: 'NOT A TEE',
      reportData: hexlify(reportData),
      issuedAt: 1,
      signer: key.address,
    };
    const signature = await key.signMessage(canonical(said));
    return { format: 'software-statement', evidence: toUtf8Bytes(canonical({ ...said, signature })) };
  },
};

function hashBody(body: unknown): string {
  return keccak256(toUtf8Bytes(canonical(body)));
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('The value has no canonical JSON');
  return text;
}
