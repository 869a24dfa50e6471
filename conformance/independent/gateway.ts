import type { IncomingMessage, ServerResponse } from 'node:http';
import { Wallet } from 'ethers';
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

/** A change to one step. */
export type Change = (sound: Behaviour) => Partial<Behaviour>;

export type SecondGateway = {
  /** For `http.createServer`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Of a payer who owns a hundred million units. */
  readonly payerKey: string;
};

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
};

/**
 * The second implementation: a gateway in plain node:http, written from the contract's text alone. It shares no code with
 * `server/`, with the contract package or with the suite, so that the suite cannot be a mirror of any of them. It keeps
 * balances in memory and settles nowhere, so it proves nothing about settlement.
 */
export function createIndependentGateway(change: Change = () => ({})): SecondGateway {
  const behaviour = { ...soundBehaviour, ...change(soundBehaviour) };
  const payer = Wallet.createRandom();
  const ledger: Ledger = {
    balances: new Map([[payer.address.toLowerCase(), 100_000_000n]]),
    spentNonces: new Set(),
  };
  return {
    payerKey: payer.privateKey,
    async listener(request, response) {
      const url = `http://${request.headers.host}${request.url}`;
      const { status, headers, body } = answer(request, url, await read(request), behaviour, ledger);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
    },
  };
}

type Ledger = { readonly balances: Map<string, bigint>; readonly spentNonces: Set<string> };

type Request = readonly [
  request: IncomingMessage,
  url: string,
  text: string,
  behaviour: Behaviour,
  ledger: Ledger,
];

/** Whatever goes wrong within is the last row of the error table (contract 7). */
function answer(...of: Request): Reply {
  try {
    return serve(...of);
  } catch {
    const [, , , { error }] = of;
    return error(500, 'server_error', 'internal_error');
  }
}

/** Contract 3: the first check that refuses a request answers it. */
function serve(...[request, url, text, behaviour, ledger]: Request): Reply {
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
    !behaviour.acceptsSettlementType(headerOf(request, 'x-settlement-type'));
  const payment = decodePayment(headerOf(request, 'x-payment'));
  const nowSeconds = Math.floor(Date.now() / 1000);
  let made: Json | undefined;
  const offer = () => {
    made ??= behaviour.offer(endpoint, url);
    return made;
  };
  const isOnTerms = ({ authorization }: Payment) =>
    !ledger.spentNonces.has(authorization.nonce) &&
    behaviour.termsFault(authorization, offer(), nowSeconds) === undefined;
  /** Whether the request fails a check, and how it is refused then. */
  const checks: Readonly<Record<Step, readonly [fails: () => boolean, refusal: () => Reply]>> = {
    body: [() => isFaulty, () => behaviour.error(400, 'invalid_request_error', 'invalid_request')],
    payment: [() => payment === undefined, () => behaviour.paymentRequired(offer())],
    signature: [
      () => payment !== undefined && !behaviour.isSigned(payment, offer()),
      () => behaviour.error(401, 'authentication_error', 'invalid_signature'),
    ],
    terms: [() => payment !== undefined && !isOnTerms(payment), () => behaviour.paymentRequired(offer())],
    balance: [
      () => payment !== undefined && !canPay(ledger, payment),
      () => behaviour.error(402, 'payment_error', 'insufficient_funds'),
    ],
  };
  for (const step of behaviour.order(text)) {
    const [fails, refusal] = checks[step];
    if (fails()) return finish(refusal());
  }
  if (!payment || !isObject(body)) throw new Error('the order of checks leaves one out');
  settle(ledger, payment);
  const receipt = behaviour.encode(behaviour.receipt(payment.authorization));
  return finish({
    status: 200,
    headers: { 'X-PAYMENT-RESPONSE': receipt },
    body: behaviour.answer(endpoint, body, nowSeconds),
  });
}

const catalog: Json = { object: 'list', data: catalogModels.map((id) => ({ id })) };

function canPay({ balances }: Ledger, { authorization }: Payment): boolean {
  return (balances.get(authorization.from.toLowerCase()) ?? 0n) >= BigInt(authorization.value);
}

function settle({ balances, spentNonces }: Ledger, { authorization }: Payment): void {
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

function headerOf(request: IncomingMessage, name: string): string | undefined {
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
