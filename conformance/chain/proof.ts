import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof, InferenceStatement } from '@paid-inference/contract/types';
import { InferenceProof as isInferenceProof } from '@paid-inference/contract/validators';
import canonicalize from 'canonicalize';
import { AbiCoder, concat, id, keccak256, toUtf8Bytes, verifyTypedData } from 'ethers';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';

import { isSameHex } from './rpc.ts';

/** The proof of an answer as the reference gateway has it (D-68); `other` where there is a header of another form. */
export function proofOf({ outcome }: Answered): InferenceProof | 'none' | 'other' {
  const header = outcome.headers.get(headerNames.inferenceProof.toLowerCase());
  if (header === undefined) return 'none';
  const bytes = decodeBase64(header);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok && isInferenceProof(value.value) ? value.value : 'other';
}

/** What of an exchange is not what was proven (D-29): keccak256 of canonical JSON (RFC 8785), and of the model that was asked for. */
export function hashFaults({ request, outcome }: Answered, proof: InferenceProof): string[] {
  const model = modelOf(request.body ?? '');
  const differing = [
    ['request', canonicalHash(request.body ?? ''), proof.inputHash],
    ['answer', canonicalHash(outcome.body), proof.outputHash],
    ['model', model === undefined ? undefined : id(model), proof.modelHash],
  ] as const;
  return differing.flatMap(([what, ours, theirs]) =>
    isSameHex(ours, theirs) ? [] : [`the ${what} hashes to ${ours ?? 'nothing'}, not to ${theirs}`],
  );
}

function modelOf(body: string): string | undefined {
  const read = decodeJson(Buffer.from(body));
  const model = read.ok ? member(read.value, 'model') : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** Undefined for what is no JSON, or has no canonical form. */
function canonicalHash(body: string): string | undefined {
  try {
    const text = canonicalize(JSON.parse(body));
    return text === undefined ? undefined : keccak256(toUtf8Bytes(text));
  } catch {
    return undefined;
  }
}

// Written out from D-68 and D-85, not taken from the emitted types: two witnesses.
const statementFields = [
  { name: 'proofId', type: 'bytes32' },
  { name: 'inputHash', type: 'bytes32' },
  { name: 'outputHash', type: 'bytes32' },
  { name: 'modelHash', type: 'bytes32' },
  { name: 'timestamp', type: 'uint64' },
  { name: 'settlementType', type: 'string' },
] as const satisfies readonly { readonly name: keyof InferenceStatement; readonly type: string }[];

/** Whether the enclave key signed the statement, in the domain of the ledger that the proof names (EIP-712). */
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

/** The leaf in the tree of a batch: statement and signer, ABI-encoded and hashed twice (D-28). */
export function leafHashOf(proof: InferenceProof): string {
  const types = [...statementFields.map(({ type }) => type), 'address'];
  const values = [...statementFields.map(({ name }) => proof[name]), proof.signer.toLowerCase()];
  return keccak256(keccak256(AbiCoder.defaultAbiCoder().encode(types, values)));
}

/** Where a path leads: each pair is sorted before it is hashed (D-28). */
export function rootOf(leafHash: string, path: readonly string[]): string {
  return path.reduce((node, sibling) => {
    const [one, other] = [node.toLowerCase(), sibling.toLowerCase()];
    return keccak256(one < other ? concat([one, other]) : concat([other, one]));
  }, leafHash);
}
