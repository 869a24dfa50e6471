import { randomBytes } from 'node:crypto';
import type { InferenceProof, SettlementType } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { AbiCoder, hexlify, Interface, id, keccak256, toBeHex, toUtf8Bytes, Wallet, ZeroHash } from 'ethers';
import { computeRoot, hashLeaf } from '../../chain/proof.ts';

const abi = new Interface([
  'function isRecorded(bytes32) view returns (bool)',
  'function batch(bytes32) view returns (uint64 sequence, uint64 size, uint64 recordedAt)',
  'function enclaveKey(address) view returns (bytes32 attestationHash, uint64 registeredAt, uint64 revokedAt)',
  'event InferenceRecorded(bytes32 indexed proofId, address indexed signer, bytes32 inputHash, bytes32 outputHash, bytes32 modelHash, uint64 timestamp, bytes signature)',
]);

/** Deviations of a fake gateway and its ledger from the settlement type. */
export type LedgerEdits = {
  readonly chainId?: number;
  /** Changes the statement before it is signed and shown. */
  readonly statement?: (proof: InferenceProof) => InferenceProof;
  /** Changes the shown proof after it is signed. */
  readonly shown?: (proof: InferenceProof) => InferenceProof;
  /** The recorded type instead of the requested one; `nothing` records no proof. */
  readonly recordsAs?: (type: SettlementType, isAskedFor: boolean) => SettlementType | 'nothing';
  /** The type for a request without one. */
  readonly typeOfDefault?: SettlementType;
  /** Changes the ledger's event. */
  readonly event?: (proof: InferenceProof) => InferenceProof;
  readonly isKeyUnknown?: true;
  readonly keyRevokedAt?: number;
};

const provenAt = 1_700_000_000;
const sibling = id('another inference of the batch');
const fields = ['proofId', 'inputHash', 'outputHash', 'modelHash', 'timestamp', 'settlementType'] as const;

/**
 * An enclave key, the ledger contract and a node of its network in one process. Proofs are recorded at once.
 */
export function createFakeLedger(edits: LedgerEdits) {
  const key = Wallet.createRandom();
  const ledger = {
    name: 'InferenceLedger',
    version: '1',
    chainId: 31_740,
    verifyingContract: `0x${'d1'.repeat(20)}`,
  } as const;
  const individually = new Map<string, InferenceProof>();
  const batched = new Map<string, { proof: InferenceProof; root: string }>();

  return {
    /** `asked` is undefined if the request names no type. */
    async prove(
      asked: SettlementType | undefined,
      request: string,
      respond: string,
    ): Promise<InferenceProof> {
      const type = asked ?? edits.typeOfDefault ?? 'batch';
      const body: { model: string } = JSON.parse(request);
      const plain: InferenceProof = {
        proofId: hexlify(randomBytes(32)),
        inputHash: canonicalHash(request),
        outputHash: canonicalHash(respond),
        modelHash: id(body.model),
        timestamp: provenAt,
        settlementType: type,
        signer: key.address,
        signature: '0x',
        canonicalization: 'jcs-rfc8785',
        attestation: { provider: 'software', hardware: false, evidenceHash: ZeroHash },
        ledger,
      };
      const signed = await sign(edits.statement?.(plain) ?? plain);
      const recordedAs = edits.recordsAs?.(type, asked !== undefined) ?? type;
      if (recordedAs === 'individual') individually.set(signed.proofId, edits.event?.(signed) ?? signed);
      if (recordedAs === 'batch') {
        batched.set(signed.proofId, { proof: signed, root: computeRoot(hashLeaf(signed), [sibling]) });
      }
      return edits.shown?.(signed) ?? signed;
    },
    /** The response to `GET /v1/proofs/{id}` for a proof in a batch. */
    record(proofId: string): object | undefined {
      const found = batched.get(proofId);
      if (!found) return undefined;
      const { proof, root } = found;
      const leaf = Object.fromEntries([...fields, 'signer' as const].map((name) => [name, proof[name]]));
      const { signature, settlementType } = proof;
      const batch = { root, size: 2, path: [sibling] };
      return {
        id: proofId,
        status: 'recorded',
        settlementType,
        leaf,
        signature,
        leafHash: hashLeaf(proof),
        ledger,
        batch,
      };
    },
    respond(method: string, [given]: readonly unknown[]): unknown {
      switch (method) {
        case 'eth_chainId':
          return toBeHex(edits.chainId ?? ledger.chainId);
        case 'eth_blockNumber':
          return '0x10';
        case 'eth_call':
          return call((given as { readonly data: string }).data);
        case 'eth_getLogs':
          return logs((given as { readonly topics: readonly string[] }).topics[1] ?? '');
        default:
          return undefined;
      }
    },
  };

  async function sign(proof: InferenceProof): Promise<InferenceProof> {
    const type = (name: string) =>
      name === 'timestamp' ? 'uint64' : name === 'settlementType' ? 'string' : 'bytes32';
    const types = { InferenceProof: fields.map((name) => ({ name, type: type(name) })) };
    const statement = Object.fromEntries(fields.map((name) => [name, proof[name]]));
    return { ...proof, signature: await key.signTypedData(ledger, types, statement) };
  }

  function call(data: string): string {
    const coder = AbiCoder.defaultAbiCoder();
    const argument = String(abi.parseTransaction({ data })?.args[0]);
    switch (abi.parseTransaction({ data })?.name) {
      case 'isRecorded':
        return coder.encode(['bool'], [individually.has(argument)]);
      case 'batch': {
        const size = [...batched.values()].some(({ root }) => root === argument) ? 2 : 0;
        return coder.encode(['uint64', 'uint64', 'uint64'], [size === 0 ? 0 : 1, size, provenAt]);
      }
      default: {
        const registeredAt = edits.isKeyUnknown ? 0 : 1;
        return coder.encode(
          ['bytes32', 'uint64', 'uint64'],
          [ZeroHash, registeredAt, edits.keyRevokedAt ?? 0],
        );
      }
    }
  }

  function logs(proofId: string): readonly object[] {
    const proof = individually.get(proofId);
    if (!proof) return [];
    const { signer, inputHash, outputHash, modelHash, timestamp, signature } = proof;
    const event = abi.encodeEventLog('InferenceRecorded', [
      proofId,
      signer,
      inputHash,
      outputHash,
      modelHash,
      timestamp,
      signature,
    ]);
    return [{ address: ledger.verifyingContract, ...event }];
  }
}

function canonicalHash(text: string): string {
  return keccak256(toUtf8Bytes(canonicalize(JSON.parse(text)) ?? ''));
}
