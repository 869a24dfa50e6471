import type { IncomingMessage, ServerResponse } from 'node:http';
import { computeAddress, hexlify, randomBytes } from 'ethers';
import { isObject } from './body-rules.ts';
import {
  type Behaviour,
  catalogModels,
  type Endpoint,
  type Json,
  type Payment,
  type Reply,
  type Step,
  soundBehaviour,
} from './steps.ts';

/** Returns the steps to replace, given the sound ones. */
export type Change = (sound: Behaviour) => Partial<Behaviour>;

/** A whole request, as the listener reads it. Header names are in lower case. */
type GatewayRequest = {
  readonly method: string | undefined;
  /** The path with its query. */
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

/** A whole response, as the listener writes it. */
type GatewayResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

export type IndependentGateway = {
  /** Answers a request. */
  readonly respond: (request: GatewayRequest) => GatewayResponse;
  /** For `http.createServer`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Private key of a payer who owns a hundred million units. */
  readonly payerKey: string;
};

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
};

/**
 * The independent implementation: a gateway in plain node:http, written from the text of the contract alone. It
 * shares no code with `server/`, the contract package or the suite, so it cannot share their faults. It keeps
 * balances in memory and settles on no chain, so it shows nothing about settlement.
 */
export function createIndependentGateway(change: Change = () => ({})): IndependentGateway {
  const behaviour = { ...soundBehaviour, ...change(soundBehaviour) };
  const payerKey = hexlify(randomBytes(32));
  const accounts: Accounts = {
    balances: new Map([[computeAddress(payerKey).toLowerCase(), 100_000_000n]]),
    spentNonces: new Set(),
  };
  const respond = (request: GatewayRequest): GatewayResponse => {
    const { status, headers, body } = reply(request, behaviour, accounts);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: { 'Content-Type': 'application/json', ...headers }, text };
  };
  return {
    payerKey,
    respond,
    async listener(request, response) {
      const { method, url: path, headers } = request;
      const answered = respond({ method, path, headers, text: await read(request) });
      response.writeHead(answered.status, answered.headers).end(answered.text);
    },
  };
}

type Accounts = { readonly balances: Map<string, bigint>; readonly spentNonces: Set<string> };

/** Replies to a request. Any exception becomes the 500 of the error table (contract 7). */
function reply(request: GatewayRequest, behaviour: Behaviour, accounts: Accounts): Reply {
  try {
    return serve(request, behaviour, accounts);
  } catch {
    return behaviour.error(500, 'server_error', 'internal_error');
  }
}

/** Runs the checks in order. The first failed check determines the response (contract 3). */
function serve(request: GatewayRequest, behaviour: Behaviour, accounts: Accounts): Reply {
  const { text } = request;
  const url = `http://${request.headers.host}${request.path}`;
  const { pathname } = new URL(url);
  const endpoint = endpoints[pathname];
  const finish = (reply: Reply) => behaviour.finish(reply, endpoint);
  if (pathname === '/v1/models') return finish({ status: 200, headers: {}, body: catalog });
  if (!endpoint) return finish(behaviour.error(404, 'invalid_request_error', 'not_found'));
  if (request.method !== 'POST') {
    return finish(behaviour.error(405, 'invalid_request_error', 'method_not_allowed'));
  }
  const body = parse(text);
  const isFaulty =
    behaviour.bodyFault(endpoint, body) !== undefined ||
    !behaviour.acceptsSettlementType(readHeader(request, 'x-settlement-type'));
  const payment = decodePayment(readHeader(request, 'x-payment'));
  const nowSeconds = Math.floor(Date.now() / 1000);
  let made: Json | undefined;
  const offer = () => {
    made ??= behaviour.offer(endpoint, url);
    return made;
  };
  const isOnTerms = ({ authorization }: Payment) =>
    !accounts.spentNonces.has(authorization.nonce) &&
    behaviour.termsFault(authorization, offer(), nowSeconds) === undefined;
  /** For each check: whether the request fails it, and the refusal. */
  const checks: Readonly<Record<Step, readonly [fails: () => boolean, refusal: () => Reply]>> = {
    body: [() => isFaulty, () => behaviour.error(400, 'invalid_request_error', 'invalid_request')],
    payment: [() => payment === undefined, () => behaviour.paymentRequired(offer())],
    signature: [
      () => payment !== undefined && !behaviour.isSigned(payment, offer()),
      () => behaviour.error(401, 'authentication_error', 'invalid_signature'),
    ],
    terms: [() => payment !== undefined && !isOnTerms(payment), () => behaviour.paymentRequired(offer())],
    balance: [
      () => payment !== undefined && !canPay(accounts, payment),
      () => behaviour.error(402, 'payment_error', 'insufficient_funds'),
    ],
  };
  for (const step of behaviour.order(text)) {
    const [fails, refusal] = checks[step];
    if (fails()) return finish(refusal());
  }
  if (!payment || !isObject(body)) throw new Error('The order of checks must contain payment and body.');
  settle(accounts, payment);
  const receipt = behaviour.encode(behaviour.receipt(payment.authorization));
  return finish({
    status: 200,
    headers: { 'X-PAYMENT-RESPONSE': receipt },
    body: behaviour.completion(endpoint, body, nowSeconds),
  });
}

const catalog: Json = { object: 'list', data: catalogModels.map((id) => ({ id })) };

function canPay({ balances }: Accounts, { authorization }: Payment): boolean {
  return (balances.get(authorization.from.toLowerCase()) ?? 0n) >= BigInt(authorization.value);
}

function settle({ balances, spentNonces }: Accounts, { authorization }: Payment): void {
  const payer = authorization.from.toLowerCase();
  balances.set(payer, (balances.get(payer) ?? 0n) - BigInt(authorization.value));
  spentNonces.add(authorization.nonce);
}

function decodePayment(header: string | undefined): Payment | undefined {
  const value = header === undefined ? undefined : parse(Buffer.from(header, 'base64').toString('utf8'));
  const payload = isObject(value) ? value['payload'] : undefined;
  if (!isObject(payload) || !isObject(payload['authorization'])) return undefined;
  const { from, to, value: units, validAfter, validBefore, nonce } = payload['authorization'];
  const texts = [from, to, units, nonce, payload['signature']];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  if (!/^0x[0-9a-f]{64}$/i.test(String(nonce)) || !/^\d+$/.test(String(units))) return undefined;
  return {
    signature: String(payload['signature']),
    authorization: {
      from: String(from),
      to: String(to),
      value: String(units),
      validAfter: Number(validAfter),
      validBefore: Number(validBefore),
      nonce: String(nonce),
    },
  };
}

function readHeader(request: GatewayRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
