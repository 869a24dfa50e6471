import { jsonText } from '../wire/json-text.ts';
import type { Edge } from './edge.ts';
import type { Asked, Reply } from './message.ts';
import type { PaymentForge } from './payment-forge.ts';
import {
  type Endpoint,
  encoded,
  findEndpoint,
  headerNamed,
  isObject,
  isPaid,
  type Json,
  objectIn,
  parsed,
  readPayment,
  withHeader,
  withJson,
} from './wire-edits.ts';

type Respond = NonNullable<Edge['respond']>;
type Read = NonNullable<Edge['read']>;

/** The responses that a change applies to: of one paid endpoint or both, and only if `when` returns true. */
export type Scope = { readonly endpoint?: Endpoint; readonly when?: (asked: Asked, reply: Reply) => boolean };

function concerns({ endpoint, when }: Scope, asked: Asked, reply: Reply): boolean {
  const at = findEndpoint(asked);
  return at !== undefined && (endpoint === undefined || at === endpoint) && (when?.(asked, reply) ?? true);
}

/** Changes the offer of every response that has one. */
export function offering(change: (offer: Json, asked: Asked) => unknown, of: Scope = {}): Respond {
  return recoding('X-PAYMENT-REQUIRED', change, of);
}

/** Changes the receipt of every response that has one. */
export function receipting(change: (receipt: Json, asked: Asked) => unknown, of: Scope = {}) {
  return recoding('X-PAYMENT-RESPONSE', change, of);
}

function recoding(name: string, change: (value: Json, asked: Asked) => unknown, of: Scope): Respond {
  return (reply, asked) => {
    const value = objectIn(headerNamed(reply.headers, name));
    if (!value || !concerns(of, asked, reply)) return reply;
    const changed = change(value, asked);
    return withHeader(reply, name, typeof changed === 'string' ? changed : encoded(changed));
  };
}

/** Changes the JSON bodies of 200 responses. */
export function serving(change: (body: Json, asked: Asked) => unknown, of: Scope = {}): Respond {
  return bodying(200, change, of);
}

/** Changes the error bodies of responses with a status. */
export function failing(status: number, change: (body: Json) => unknown, of: Scope = {}): Respond {
  return bodying(status, change, {
    ...of,
    when: (asked, reply) => isObject(parseBody(reply)?.['error']) && (of.when?.(asked, reply) ?? true),
  });
}

function parseBody({ text }: Reply): Json | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}

function bodying(status: number, change: (body: Json, asked: Asked) => unknown, of: Scope): Respond {
  return (reply, asked) => {
    const body = parseBody(reply);
    if (reply.status !== status || !body || !concerns(of, asked, reply)) return reply;
    const changed = change(body, asked);
    return typeof changed === 'string' ? { ...reply, text: changed } : withJson(reply, changed);
  };
}

/** Changes whole responses. */
export function replying(
  change: (reply: Reply, asked: Asked, forge: PaymentForge) => Reply,
  of: Scope = {},
): Respond {
  return (reply, asked, forge) => (concerns(of, asked, reply) ? change(reply, asked, forge) : reply);
}

/** Replaces the body that the gateway reads. */
export function reading(
  endpoint: Endpoint,
  change: (body: Json) => Json | undefined,
  when: (asked: Asked, forge: PaymentForge) => boolean = () => true,
): Read {
  return (asked, forge) => {
    const body = parsed(asked.text);
    if (findEndpoint(asked) !== endpoint || !isObject(body) || !when(asked, forge)) return asked;
    const changed = change(body);
    return changed ? { ...asked, text: jsonText(changed) } : asked;
  };
}

/** Whether a response is a 402 insufficient_funds. */
export function isAboutFunds(_asked: Asked, reply: Reply): boolean {
  const error = parseBody(reply)?.['error'];
  return reply.status === 402 && isObject(error) && error['code'] === 'insufficient_funds';
}

/** Whether the payer with funds pays. Payments without funds only test how a gateway checks payments. */
export function isPaidWithFunds(asked: Asked, { payer }: PaymentForge): boolean {
  return String(readPayment(asked)?.authorization['from'] ?? '').toLowerCase() === payer.toLowerCase();
}

export function isUnpaid(asked: Asked): boolean {
  return !isPaid(asked);
}
