import type {
  PaymentAuthorization,
  PaymentObject,
  PaymentReceipt,
  PaymentRequirements,
  X402V2Offer,
} from '@paid-inference/contract/types';

/** Valid values for the tests, each as a base for an invalid one. */
export const address = `0x${'4'.repeat(40)}`;
export const bytes32 = `0x${'6'.repeat(64)}`;
export const signature = `0x${'5'.repeat(128)}1b`;

export const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: '10000',
  resource: 'https://gateway.example/v1/chat/completions',
  description: 'Chat completion',
  mimeType: 'application/json',
  payTo: address,
  maxTimeoutSeconds: 300,
  asset: `0x${'2'.repeat(40)}`,
  extra: { name: 'Test Payment Token', version: '1' },
};

export const authorization: PaymentAuthorization = {
  from: address,
  to: address,
  value: '10000',
  validAfter: 0,
  validBefore: 1_900_000_000,
  nonce: bytes32,
};

export const payment: PaymentObject = { payload: { signature, authorization } };

export const receipt: PaymentReceipt = {
  success: true,
  network: 'eip155:84532',
  chainId: 84532,
  txHash: bytes32,
  payer: address,
};

export const offerV2: X402V2Offer = {
  x402Version: 2,
  error: 'PAYMENT-SIGNATURE header is required',
  resource: { url: requirements.resource, description: 'Chat completion', mimeType: 'application/json' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:84532',
      amount: '10000',
      asset: requirements.asset,
      payTo: address,
      maxTimeoutSeconds: 300,
      extra: { ...requirements.extra, primaryType: 'TransferWithAuthorization' },
    },
  ],
};

export const tool = {
  type: 'function',
  function: {
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      properties: {
        a: { type: 'number', description: 'First' },
        b: { type: 'number', description: 'Second' },
      },
      required: ['a', 'b'],
    },
  },
};

export const call = { id: 'call-1', type: 'function', function: { name: 'add', arguments: '{"a":6,"b":7}' } };

/** One JSON value of each kind, except strings. */
export const notStrings: readonly unknown[] = [1, true, null, {}, []];
