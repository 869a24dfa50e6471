import { json, type ProxyRequest, type ProxyResponse } from '../testing/proxy.ts';
import { decodeBase64, decodeJson, isObject, member } from '../wire/base64-json.ts';

/** A request and its response, as the proxy between client and gateway recorded them. */
export type Exchange = { readonly request: ProxyRequest; readonly response: ProxyResponse };
export type Exchanges = readonly Exchange[];

export type Scenario = {
  readonly id: string;
  /** The gateway that gets the requests, or the response of a stub to each request. */
  readonly gateway: 'open' | 'limited' | ProxyResponse;
  readonly payer: 'funded' | 'unfunded';
  /** The last response that the scenario must lead to. */
  readonly status: number;
  readonly code: string | null;
  /** Responses 200 to a payment. */
  readonly payments: number;
  /** The text of the client's line, read from the exchanges. */
  readonly text: (exchanges: Exchanges) => unknown;
  /** A further condition that shows whether the client did what the scenario asks for. */
  readonly isPlayed: (exchanges: Exchanges) => boolean;
};

const failure = {
  gateway: 'open',
  payer: 'funded',
  payments: 0,
  text: () => null,
  isPlayed: () => true,
} as const;
const success = { ...failure, status: 200, code: null, payments: 1, text: readCompletion } as const;

/** The scenarios of STACKS.md: purchases, the errors of the contract's table (§7), and free requests. */
export const scenarios: readonly Scenario[] = [
  { ...success, id: 'pay-chat', isPlayed: (all) => lastRequest(all)?.path === '/v1/chat/completions' },
  { ...success, id: 'pay-text', isPlayed: (all) => lastRequest(all)?.path === '/v1/completions' },
  { ...success, id: 'pay-tools', payments: 2, isPlayed: (all) => hasToolResult(lastRequest(all)) },
  { ...failure, id: 'error-400', status: 400, code: 'invalid_request' },
  { ...failure, id: 'error-401', status: 401, code: 'invalid_signature' },
  { ...failure, id: 'error-402-offer', status: 402, code: null, text: readPrice },
  {
    ...failure,
    id: 'error-402-insufficient',
    payer: 'unfunded',
    status: 402,
    code: 'insufficient_funds',
  },
  { ...failure, id: 'error-404', status: 404, code: 'not_found' },
  { ...failure, id: 'error-405', status: 405, code: 'method_not_allowed' },
  { ...failure, id: 'error-413', status: 413, code: 'request_too_large' },
  { ...failure, id: 'error-415', status: 415, code: 'unsupported_media_type' },
  { ...failure, id: 'error-429', gateway: 'limited', status: 429, code: 'rate_limited' },
  { ...failure, id: 'error-500', gateway: stub(500, 'internal_error'), status: 500, code: 'internal_error' },
  { ...failure, id: 'error-503', gateway: stub(503, 'unavailable'), status: 503, code: 'unavailable' },
  { ...success, id: 'models', payments: 0, text: readModels },
  { ...success, id: 'proof', text: readLeafHash, isPlayed: getsItsProof },
];

/** An error of the table of §7, which a gateway does not return at will. */
function stub(status: number, code: string): ProxyResponse {
  const error = { message: 'The stub returns this error.', type: 'server_error', code, param: null };
  return json(status, { error }, status === 503 ? { 'Retry-After': '1' } : {});
}

/** The value of a base64 header of a recorded response; undefined without one. */
export function readHeader({ response }: Exchange, name: string): unknown {
  const bytes = decodeBase64(response.headers[name.toLowerCase()] ?? '');
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok ? value.value : undefined;
}

/** The JSON of a recorded body; undefined if it is none. */
export function readBody({ body }: { readonly body: string }): unknown {
  const value = decodeJson(Buffer.from(body));
  return value.ok ? value.value : undefined;
}

function lastRequest(exchanges: Exchanges): ProxyRequest | undefined {
  return exchanges.at(-1)?.request;
}

function lastBody(exchanges: Exchanges): unknown {
  const last = exchanges.at(-1);
  return last && readBody(last.response);
}

function readCompletion(exchanges: Exchanges): unknown {
  const choice = at(member(lastBody(exchanges), 'choices'), 0);
  return member(choice, 'text') ?? member(member(choice, 'message'), 'content');
}

function hasToolResult(request: ProxyRequest | undefined): boolean {
  const messages = member(request && readBody(request), 'messages');
  const roles = Array.isArray(messages) ? messages.map((message) => member(message, 'role')) : [];
  return roles.at(-1) === 'tool' && roles.at(-2) === 'assistant';
}

function readPrice(exchanges: Exchanges): unknown {
  const last = exchanges.at(-1);
  return last && member(readHeader(last, 'X-PAYMENT-REQUIRED'), 'maxAmountRequired');
}

function readModels(exchanges: Exchanges): unknown {
  const models = member(lastBody(exchanges), 'data');
  return Array.isArray(models) ? models.map((model) => member(model, 'id')).join(',') : undefined;
}

function readLeafHash(exchanges: Exchanges): unknown {
  return member(lastBody(exchanges), 'leafHash');
}

/** Whether the client got the record of the proof in the header of its purchase. */
function getsItsProof(exchanges: Exchanges): boolean {
  const [purchase, record] = exchanges.slice(-2);
  const proof = purchase && readHeader(purchase, 'X-INFERENCE-PROOF');
  return isObject(proof) && record?.request.path === `/v1/proofs/${proof['proofId']}`;
}

function at(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}
