import { randomBytes } from 'node:crypto';
import { verifyTypedData } from 'ethers';
import { bodyFault, isObject } from './body-rules.ts';

export type Json = Record<string, unknown>;
export type Endpoint = 'chat' | 'completions';
export type Reply = { status: number; headers: Record<string, string>; body: Json | string };
type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: number;
  validBefore: number;
  nonce: string;
};
export type Payment = { signature: string; authorization: Authorization };

/** A check of a request. Checks that need a payment come after `payment`. */
export type Step = 'body' | 'payment' | 'signature' | 'terms' | 'balance';

/** The steps of the independent implementation. A test may replace any of them. */
export type Behaviour = {
  readonly readsBodyFirst: boolean;
  readonly checksBalanceFirst: boolean;
  /** The order of the checks of one request. */
  order(text: string): readonly Step[];
  bodyFault(endpoint: Endpoint, body: unknown): string | undefined;
  acceptsSettlementType(type: string | undefined): boolean;
  offer(endpoint: Endpoint, url: string): Json;
  encode(value: unknown): string;
  paymentRequired(offer: Json): Reply;
  isSigned(payment: Payment, offer: Json): boolean;
  termsFault(authorization: Authorization, offer: Json, nowSeconds: number): string | undefined;
  error(status: number, type: string, code: string): Reply;
  completion(endpoint: Endpoint, body: Json, nowSeconds: number): Json;
  receipt(authorization: Authorization): Json;
  /** May change every reply before it is sent. */
  finish(reply: Reply, endpoint: Endpoint | undefined): Reply;
};

export const catalogModel = 'alder/alder-mini';
/** All models of the catalog. A test that names no model requests the first. */
export const catalogModels = [
  catalogModel,
  'birch/birch-base',
  'cedar/cedar-code',
  'maple/maple-tools',
] as const;
const token = { name: 'Stand-In Token', version: '1', address: `0x${'2a'.repeat(20)}` };
const recipient = `0x${'1b'.repeat(20)}`;
const chainId = 84_532;

/** The behaviour of the contract, with the simplest choice where the contract is silent. */
export const soundBehaviour: Behaviour = {
  readsBodyFirst: true,
  checksBalanceFirst: false,
  order() {
    const signature = this.checksBalanceFirst
      ? (['balance', 'signature'] as const)
      : (['signature'] as const);
    return this.readsBodyFirst
      ? ['body', 'payment', ...signature, 'terms', 'balance']
      : ['payment', ...signature, 'body', 'terms', 'balance'];
  },
  bodyFault: (endpoint, body) => bodyFault(endpoint, body, catalogModels),
  acceptsSettlementType: (type) => type === undefined || ['private', 'individual', 'batch'].includes(type),
  offer: (endpoint, url) => ({
    scheme: 'exact',
    network: 'eip155:84532',
    maxAmountRequired: '1000',
    resource: url,
    description: endpoint === 'chat' ? 'Chat completion' : 'Text completion',
    mimeType: 'application/json',
    payTo: recipient,
    maxTimeoutSeconds: 300,
    asset: token.address,
    extra: { name: token.name, version: token.version },
  }),
  encode: (value) => Buffer.from(JSON.stringify(value)).toString('base64'),
  paymentRequired(offer) {
    return { status: 402, headers: { 'X-PAYMENT-REQUIRED': this.encode(offer) }, body: {} };
  },
  isSigned: (payment, offer) => isSignedFor(payment, offer, chainId),
  termsFault: ({ to, value, validAfter, validBefore }, offer, nowSeconds) => {
    if (to.toLowerCase() !== String(offer['payTo']).toLowerCase()) return 'to is not payTo';
    if (BigInt(value) > BigInt(String(offer['maxAmountRequired']))) return 'value is over the maximum';
    if (BigInt(value) < BigInt(String(offer['maxAmountRequired']))) return 'value is too low';
    if (validAfter > nowSeconds) return 'not valid yet';
    return validBefore < nowSeconds ? 'expired' : undefined;
  },
  error: (status, type, code) => ({ status, headers: {}, body: { error: { message: 'No.', type, code } } }),
  completion: (endpoint, body, nowSeconds) => ({
    id: `completion-${nowSeconds}`,
    object: endpoint === 'chat' ? 'chat.completion' : 'text_completion',
    created: nowSeconds,
    model: body['model'],
    choices: [endpoint === 'chat' ? chatChoice(body) : { index: 0, text: ' four.', finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 },
  }),
  receipt: ({ from }) => ({
    success: true,
    network: 'eip155:84532',
    chainId,
    txHash: `0x${randomBytes(32).toString('hex')}`,
    payer: from,
  }),
  finish: (reply) => reply,
};

/** Whether `from` signed the authorization for the offered token on the given chain (contract 4.4, EIP-712). */
function isSignedFor({ signature, authorization }: Payment, offer: Json, chain: number): boolean {
  const extra = isObject(offer['extra']) ? offer['extra'] : {};
  const domain = {
    name: String(extra['name']),
    version: String(extra['version']),
    chainId: chain,
    verifyingContract: String(offer['asset']).toLowerCase(),
  };
  const address = (name: string) => ({ name, type: 'address' });
  const number = (name: string) => ({ name, type: 'uint256' });
  const fields = [
    address('from'),
    address('to'),
    number('value'),
    number('validAfter'),
    number('validBefore'),
    { name: 'nonce', type: 'bytes32' },
  ];
  const message = {
    ...authorization,
    from: authorization.from.toLowerCase(),
    to: authorization.to.toLowerCase(),
  };
  try {
    const signer = verifyTypedData(domain, { TransferWithAuthorization: fields }, message, signature);
    return signer.toLowerCase() === authorization.from.toLowerCase();
  } catch {
    return false;
  }
}

function chatChoice({ tools, tool_choice: toolChoice, messages }: Json): Json {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const [tool]: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const isAsked = isObject(last) && last['role'] === 'user' && toolChoice !== 'none';
  const described = isObject(tool) ? tool['function'] : undefined;
  if (!isAsked || !isObject(described)) {
    return { index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' };
  }
  const call = {
    id: 'call_7',
    type: 'function',
    function: { name: described['name'], arguments: '{"city":"Oslo"}' },
  };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  return { index: 0, message, finish_reason: 'tool_calls' };
}
