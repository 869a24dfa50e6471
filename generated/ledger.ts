// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

/** The ABI of the proof ledger. */
export const inferenceLedgerAbi = [
  {
    inputs: [
      {
        internalType: 'bytes32',
        name: 'id',
        type: 'bytes32',
      },
    ],
    name: 'AlreadyRecorded',
    type: 'error',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'AlreadyRegistered',
    type: 'error',
  },
  {
    inputs: [],
    name: 'EmptyBatch',
    type: 'error',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'RevokedSigner',
    type: 'error',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'UnknownSigner',
    type: 'error',
  },
  {
    anonymous: false,
    inputs: [
      {
        indexed: true,
        internalType: 'bytes32',
        name: 'root',
        type: 'bytes32',
      },
      {
        indexed: true,
        internalType: 'uint64',
        name: 'sequence',
        type: 'uint64',
      },
      {
        indexed: false,
        internalType: 'uint64',
        name: 'size',
        type: 'uint64',
      },
    ],
    name: 'BatchRecorded',
    type: 'event',
  },
  {
    anonymous: false,
    inputs: [
      {
        indexed: true,
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
      {
        indexed: false,
        internalType: 'bytes32',
        name: 'attestationHash',
        type: 'bytes32',
      },
      {
        indexed: false,
        internalType: 'string',
        name: 'provider',
        type: 'string',
      },
    ],
    name: 'EnclaveKeyRegistered',
    type: 'event',
  },
  {
    anonymous: false,
    inputs: [
      {
        indexed: true,
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'EnclaveKeyRevoked',
    type: 'event',
  },
  {
    anonymous: false,
    inputs: [
      {
        indexed: true,
        internalType: 'bytes32',
        name: 'proofId',
        type: 'bytes32',
      },
      {
        indexed: true,
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
      {
        indexed: false,
        internalType: 'bytes32',
        name: 'inputHash',
        type: 'bytes32',
      },
      {
        indexed: false,
        internalType: 'bytes32',
        name: 'outputHash',
        type: 'bytes32',
      },
      {
        indexed: false,
        internalType: 'bytes32',
        name: 'modelHash',
        type: 'bytes32',
      },
      {
        indexed: false,
        internalType: 'uint64',
        name: 'timestamp',
        type: 'uint64',
      },
      {
        indexed: false,
        internalType: 'bytes',
        name: 'signature',
        type: 'bytes',
      },
    ],
    name: 'InferenceRecorded',
    type: 'event',
  },
  {
    inputs: [
      {
        internalType: 'bytes32',
        name: 'root',
        type: 'bytes32',
      },
    ],
    name: 'batch',
    outputs: [
      {
        components: [
          {
            internalType: 'uint64',
            name: 'sequence',
            type: 'uint64',
          },
          {
            internalType: 'uint64',
            name: 'size',
            type: 'uint64',
          },
          {
            internalType: 'uint64',
            name: 'recordedAt',
            type: 'uint64',
          },
        ],
        internalType: 'struct IInferenceLedger.Batch',
        name: '',
        type: 'tuple',
      },
    ],
    stateMutability: 'view',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'enclaveKey',
    outputs: [
      {
        components: [
          {
            internalType: 'bytes32',
            name: 'attestationHash',
            type: 'bytes32',
          },
          {
            internalType: 'uint64',
            name: 'registeredAt',
            type: 'uint64',
          },
          {
            internalType: 'uint64',
            name: 'revokedAt',
            type: 'uint64',
          },
        ],
        internalType: 'struct IInferenceLedger.EnclaveKey',
        name: '',
        type: 'tuple',
      },
    ],
    stateMutability: 'view',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'bytes32',
        name: 'proofId',
        type: 'bytes32',
      },
    ],
    name: 'isRecorded',
    outputs: [
      {
        internalType: 'bool',
        name: '',
        type: 'bool',
      },
    ],
    stateMutability: 'view',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'bytes32',
        name: 'root',
        type: 'bytes32',
      },
      {
        internalType: 'uint64',
        name: 'size',
        type: 'uint64',
      },
    ],
    name: 'recordBatch',
    outputs: [],
    stateMutability: 'nonpayable',
    type: 'function',
  },
  {
    inputs: [
      {
        components: [
          {
            internalType: 'bytes32',
            name: 'proofId',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'inputHash',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'outputHash',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'modelHash',
            type: 'bytes32',
          },
          {
            internalType: 'uint64',
            name: 'timestamp',
            type: 'uint64',
          },
          {
            internalType: 'bytes',
            name: 'signature',
            type: 'bytes',
          },
        ],
        internalType: 'struct IInferenceLedger.SignedInference[]',
        name: 'inferences',
        type: 'tuple[]',
      },
    ],
    name: 'recordInferences',
    outputs: [],
    stateMutability: 'nonpayable',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
      {
        internalType: 'bytes32',
        name: 'attestationHash',
        type: 'bytes32',
      },
      {
        internalType: 'string',
        name: 'provider',
        type: 'string',
      },
    ],
    name: 'registerEnclaveKey',
    outputs: [],
    stateMutability: 'nonpayable',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'address',
        name: 'signer',
        type: 'address',
      },
    ],
    name: 'revokeEnclaveKey',
    outputs: [],
    stateMutability: 'nonpayable',
    type: 'function',
  },
  {
    inputs: [
      {
        internalType: 'bytes32',
        name: 'root',
        type: 'bytes32',
      },
      {
        components: [
          {
            internalType: 'bytes32',
            name: 'proofId',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'inputHash',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'outputHash',
            type: 'bytes32',
          },
          {
            internalType: 'bytes32',
            name: 'modelHash',
            type: 'bytes32',
          },
          {
            internalType: 'uint64',
            name: 'timestamp',
            type: 'uint64',
          },
          {
            internalType: 'bytes',
            name: 'signature',
            type: 'bytes',
          },
        ],
        internalType: 'struct IInferenceLedger.SignedInference',
        name: 'inference',
        type: 'tuple',
      },
      {
        internalType: 'bytes32[]',
        name: 'path',
        type: 'bytes32[]',
      },
    ],
    name: 'verifyInBatch',
    outputs: [
      {
        internalType: 'bool',
        name: '',
        type: 'bool',
      },
    ],
    stateMutability: 'view',
    type: 'function',
  },
] as const;
