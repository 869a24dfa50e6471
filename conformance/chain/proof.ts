import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof, InferenceStatement } from '@paid-inference/contract/types';
import { InferenceProof as isInferenceProof } from '@paid-inference/contract/validators';
import canonicalize from 'canonicalize';
import { AbiCoder, concat, id, keccak256, toUtf8Bytes, verifyTypedData } from 'ethers';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';

import { isSameHex } from './rpc.ts';

/**
 * The proof of a response in the form of the reference gateway (D-68); `other` if the header has another form.
 */
export function readProof({ outcome }: Answered): InferenceProof | 'none' | 'other' {
  const header = outcome.headers.get(headerNames.inferenceProof.toLowerCase());
  if (header === undefined) return 'none';
  const bytes = decodeBase64(header);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok && isInferenceProof(value.value) ? value.value : 'other';
}

/**
 * Names the hashes of a proof that do not match the exchange (D-29): keccak256 of the canonical JSON (RFC 8785)
 * of request and response, and of the model id.
 */
export function hashFaults({ request, outcome }: Answered, proof: InferenceProof): string[] {
  const model = readModel(request.body ?? '');
  const differing = [
    ['request', canonicalHash(request.body ?? ''), proof.inputHash],
    ['response', canonicalHash(outcome.body), proof.outputHash],
    ['model', model === undefined ? undefined : id(model), proof.modelHash],
  ] as const;
  return differing.flatMap(([what, ours, theirs]) =>
    isSameHex(ours, theirs)
      ? []
      : [`the hash of the ${what} is ${ours ?? 'undefined'}, but the proof has ${theirs}`],
  );
}

function readModel(body: string): string | undefined {
  const read = decodeJson(Buffer.from(body));
  const model = read.ok ? member(read.value, 'model') : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** Undefined for text that is no JSON or has no canonical form. */
function canonicalHash(body: string): string | undefined {
  try {
    const text = canonicalize(JSON.parse(body));
    return text === undefined ? undefined : keccak256(toUtf8Bytes(text));
  } catch {
    return undefined;
  }
}

// Written according to D-68 and D-85, not taken from the emitted types, so that the suite is an independent
// witness.
const statementFields = [
  { name: 'proofId', type: 'bytes32' },
  { name: 'inputHash', type: 'bytes32' },
  { name: 'outputHash', type: 'bytes32' },
  { name: 'modelHash', type: 'bytes32' },
  { name: 'timestamp', type: 'uint64' },
  { name: 'settlementType', type: 'string' },
] as const satisfies readonly { readonly name: keyof InferenceStatement; readonly type: string }[];

/** Whether the enclave key signed the statement, in the EIP-712 domain of the ledger that the proof names. */
export function isSigned(proof: InferenceProof): boolean {
  const { name, version, chainId, verifyingContract } = proof.ledger;
  const domain = { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() };
  const statement = Object.fromEntries(statementFields.map((field) => [field.name, proof[field.name]]));
  try {
    const signer = verifyTypedData(
      domain,
      { InferenceProof: [...statementFields] },
      statement,
      proof.signature,
    );
    return isSameHex(signer, proof.signer);
  } catch {
    return false;
  }
}

/** The leaf of a proof in the tree of a batch: statement and signer, ABI-encoded and hashed twice (D-28). */
export function hashLeaf(proof: InferenceProof): string {
  const types = [...statementFields.map(({ type }) => type), 'address'];
  const values = [...statementFields.map(({ name }) => proof[name]), proof.signer.toLowerCase()];
  return keccak256(keccak256(AbiCoder.defaultAbiCoder().encode(types, values)));
}

/** The root for a leaf and its path. Each pair is sorted before it is hashed (D-28). */
export function computeRoot(leafHash: string, path: readonly string[]): string {
  return path.reduce((node, sibling) => {
    const [one, other] = [node.toLowerCase(), sibling.toLowerCase()];
    return keccak256(one < other ? concat([one, other]) : concat([other, one]));
  }, leafHash);
}
