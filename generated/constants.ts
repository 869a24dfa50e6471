// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

/** The data of the last event of a complete stream (D-267). */
export const streamDone = '[DONE]';
/** The token's EIP-712 domain version. */
export const tokenDomainVersion = '1';
export const scheme = 'exact';
export const network = 'eip155:84532';
export const mimeType = 'application/json';
export const chainId = 84532;
/** The proof ledger's EIP-712 domain name. */
export const ledgerDomainName = 'InferenceLedger';
/** The proof ledger's EIP-712 domain version. */
export const ledgerDomainVersion = '1';
/** The canonical form of bodies before they are hashed. */
export const canonicalization = 'jcs-rfc8785';
export const attestationBinding = 'paid-inference/enclave-key/v1';
export const exchangeFormat = 'paid-inference/exchange/v1';
/** In every offer: some x402 v2 clients pay only if the offer names the type (D-266). */
export const primaryType = 'TransferWithAuthorization';

/** Method and path of every operation. */
export const endpoints = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
  },
  createCompletion: {
    method: 'POST',
    path: '/v1/completions',
  },
  listModels: {
    method: 'GET',
    path: '/v1/models',
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id}',
  },
  getProof: {
    method: 'GET',
    path: '/v1/proofs/{id}',
  },
  getAttestation: {
    method: 'GET',
    path: '/v1/attestation',
  },
  getHealth: {
    method: 'GET',
    path: '/health',
  },
  getReadiness: {
    method: 'GET',
    path: '/ready',
  },
  getOpenApiDocument: {
    method: 'GET',
    path: '/openapi.json',
  },
  getPaidResources: {
    method: 'GET',
    path: '/.well-known/x402',
  },
} as const;

/** The wire name of every header, by its name in the contract. */
export const headerNames = {
  payment: 'X-PAYMENT',
  paymentSignature: 'PAYMENT-SIGNATURE',
  settlementType: 'X-SETTLEMENT-TYPE',
  idempotencyKey: 'Idempotency-Key',
  retryCount: 'x-stainless-retry-count',
  requestId: 'X-Request-Id',
  ignoredFields: 'X-Ignored-Fields',
  rateLimitRequests: 'x-ratelimit-limit-requests',
  rateLimitRemainingRequests: 'x-ratelimit-remaining-requests',
  rateLimitReset: 'x-ratelimit-reset-requests',
  cacheControl: 'Cache-Control',
  shouldRetry: 'x-should-retry',
  retryAfterSeconds: 'Retry-After',
  paymentResponse: 'X-PAYMENT-RESPONSE',
  paymentResponseV2: 'PAYMENT-RESPONSE',
  inferenceProof: 'X-INFERENCE-PROOF',
  idempotentReplayed: 'Idempotent-Replayed',
  paymentRequired: 'X-PAYMENT-REQUIRED',
  paymentRequiredV2: 'PAYMENT-REQUIRED',
} as const;

/** Defaults of the request bodies. */
export const defaults = {
  ChatCompletionRequest: {
    max_tokens: 100,
    temperature: 1,
  },
  CompletionRequest: {
    max_tokens: 100,
    temperature: 1,
  },
} as const;

/** Ranges of the numbers in the request bodies. */
export const ranges = {
  ChatCompletionRequest: {
    max_tokens: {
      minimum: 1,
    },
    temperature: {
      minimum: 0,
      maximum: 2,
    },
    max_completion_tokens: {
      minimum: 1,
    },
    top_p: {
      minimum: 0,
      maximum: 1,
    },
    frequency_penalty: {
      minimum: -2,
      maximum: 2,
    },
    presence_penalty: {
      minimum: -2,
      maximum: 2,
    },
    seed: {
      minimum: -9007199254740991,
      maximum: 9007199254740991,
    },
  },
  CompletionRequest: {
    max_tokens: {
      minimum: 1,
    },
    temperature: {
      minimum: 0,
      maximum: 2,
    },
    max_completion_tokens: {
      minimum: 1,
    },
    top_p: {
      minimum: 0,
      maximum: 1,
    },
    frequency_penalty: {
      minimum: -2,
      maximum: 2,
    },
    presence_penalty: {
      minimum: -2,
      maximum: 2,
    },
    seed: {
      minimum: -9007199254740991,
      maximum: 9007199254740991,
    },
  },
} as const;

/** Fields of the request bodies that the contract's text does not have (D-264). */
export const extensionFields = {
  ChatCompletionRequest: [
    'max_completion_tokens',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'user',
    'response_format',
    'parallel_tool_calls',
    'metadata',
    'stream',
    'stream_options',
  ],
  CompletionRequest: [
    'max_completion_tokens',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'user',
    'stream',
    'stream_options',
  ],
} as const;

export type OperationId = keyof typeof endpoints;
