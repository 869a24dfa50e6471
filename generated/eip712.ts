// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

/** EIP-712 types of `TransferWithAuthorization`. */
export const transferWithAuthorizationTypes = {
  TransferWithAuthorization: [
    {
      name: 'from',
      type: 'address',
    },
    {
      name: 'to',
      type: 'address',
    },
    {
      name: 'value',
      type: 'uint256',
    },
    {
      name: 'validAfter',
      type: 'uint256',
    },
    {
      name: 'validBefore',
      type: 'uint256',
    },
    {
      name: 'nonce',
      type: 'bytes32',
    },
  ],
};

export const transferWithAuthorizationPrimaryType = 'TransferWithAuthorization';

/** The encoded type. Its keccak256 is the type hash. */
export const transferWithAuthorizationEncodedType =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';

/** EIP-712 types of `InferenceProof`. */
export const inferenceProofTypes = {
  InferenceProof: [
    {
      name: 'proofId',
      type: 'bytes32',
    },
    {
      name: 'inputHash',
      type: 'bytes32',
    },
    {
      name: 'outputHash',
      type: 'bytes32',
    },
    {
      name: 'modelHash',
      type: 'bytes32',
    },
    {
      name: 'timestamp',
      type: 'uint64',
    },
    {
      name: 'settlementType',
      type: 'string',
    },
  ],
};

export const inferenceProofPrimaryType = 'InferenceProof';

/** The encoded type. Its keccak256 is the type hash. */
export const inferenceProofEncodedType =
  'InferenceProof(bytes32 proofId,bytes32 inputHash,bytes32 outputHash,bytes32 modelHash,uint64 timestamp,string settlementType)';

/** EIP-712 types of `InferenceLeaf`. */
export const inferenceLeafTypes = {
  InferenceLeaf: [
    {
      name: 'proofId',
      type: 'bytes32',
    },
    {
      name: 'inputHash',
      type: 'bytes32',
    },
    {
      name: 'outputHash',
      type: 'bytes32',
    },
    {
      name: 'modelHash',
      type: 'bytes32',
    },
    {
      name: 'timestamp',
      type: 'uint64',
    },
    {
      name: 'settlementType',
      type: 'string',
    },
    {
      name: 'signer',
      type: 'address',
    },
  ],
};

export const inferenceLeafPrimaryType = 'InferenceLeaf';

/** The encoded type. Its keccak256 is the type hash. */
export const inferenceLeafEncodedType =
  'InferenceLeaf(bytes32 proofId,bytes32 inputHash,bytes32 outputHash,bytes32 modelHash,uint64 timestamp,string settlementType,address signer)';

/** The EIP-712 domain of a payment. */
export type PaymentDomain = { name: string; version: string; chainId: number; verifyingContract: string };

/** The fields of the domain, in the order of EIP-712. */
export const paymentDomainFields = [
  {
    name: 'name',
    type: 'string',
  },
  {
    name: 'version',
    type: 'string',
  },
  {
    name: 'chainId',
    type: 'uint256',
  },
  {
    name: 'verifyingContract',
    type: 'address',
  },
];

import { chainId } from './constants.ts';

/** The signing domain of an offer (section 4.4, step 4). */
export function paymentDomain(offer: {
  readonly asset: string;
  readonly extra: { readonly name: string; readonly version: string };
}): PaymentDomain {
  return {
    name: offer.extra.name,
    version: offer.extra.version,
    chainId,
    verifyingContract: offer.asset,
  };
}
