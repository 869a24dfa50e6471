import type { Ask, Context } from '../context/context.ts';
import { type Found, found, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';

import { type PaidEndpoint, paidEndpoints } from './bodies.ts';
import { judgeTransient } from './judgements.ts';

/**
 * The order in which a gateway checks body and payment. A request with two faults may be refused for either
 * one, and a gateway may change the order from request to request (D-152). A refusal for the other fault proves
 * something only if the order is always the same.
 */

/** The fault that the responses to one repeated request name. */
export type Order = 'own' | 'other' | 'changes';

/** Requests per endpoint that find out the order of two checks. */
const controlsMax = 8;
/** Retries until a request is refused for the tested fault, by order of checks. */
const triesMax = { changes: 16, own: 3 } as const;
/** Retries in a run for all checks of a kind together. A payment also needs an offer. */
const triesInAllMax = { body: 280, signature: 220 } as const;

/** The order of checks according to the number of responses about either fault. */
export function orderIn(own: number, other: number): Order {
  if (own === 0) return 'other';
  return other === 0 ? 'own' : 'changes';
}

/** The order of two checks, and how to recognize responses about the other fault. */
type Ordered = {
  readonly kind: 'body' | 'signature';
  readonly order: Order;
  readonly isOther: (answered: Answered) => boolean;
};

/**
 * Returns a response about the tested fault. A response about the other fault leads to retries. If the order
 * seemed constant, `send` gets 0 and repeats the same request; the first response stands if no retry names the
 * tested fault. If the order changes, `send` gets a new number each time, and without a response about the
 * tested fault the result is unknown.
 */
export async function aboutOwn(
  context: Context,
  { kind, order, isOther }: Ordered,
  answered: Answered,
  send: (attempt: number) => Promise<Found<Answered>>,
): Promise<Found<Answered>> {
  if (order === 'other') return found(answered);
  const tries = await context.once(triesOfRun[kind]);
  for (let attempt = 1; attempt <= triesMax[order] && tries.left > 0; attempt += 1) {
    tries.left -= 1;
    const another = await send(order === 'changes' ? attempt : 0);
    if (!another.ok || !isOther(another.value)) return another;
  }
  return order === 'own'
    ? found(answered)
    : missing('the deployment changes the order of its checks, and each response named another fault');
}

const triesOfRun = {
  body: async () => ({ left: Number(triesInAllMax.body) }),
  signature: async () => ({ left: Number(triesInAllMax.signature) }),
} as const;

/** Finds out if an invalid unpaid body is refused for the body (`own`) or for the missing payment (`other`). */
export function orderOfBody(context: Context, endpoint: PaidEndpoint): Promise<Found<Order>> {
  return context.once(bodyOrders[endpoint]);
}

const bodyOrders = {
  chat: (context: Context) => findOrderOfBody(context, 'chat'),
  completions: (context: Context) => findOrderOfBody(context, 'completions'),
} as const;

async function findOrderOfBody(context: Context, endpoint: PaidEndpoint): Promise<Found<Order>> {
  let other = 0;
  for (let control = 0; control < controlsMax; control += 1) {
    const answered = await context.ask(emptyBody(endpoint, control));
    if (!answered.ok) return answered;
    const passed = judgeTransient(answered.value);
    if (passed) return { ok: false, verdict: passed };
    if (isPaymentRequired(answered.value)) other += 1;
    const order = orderIn(control + 1 - other, other);
    if (order === 'changes') return found(order);
  }
  return found(orderIn(controlsMax - other, other));
}

/** A body without any field of the contract. The first control is an empty object. */
export function emptyBody(endpoint: PaidEndpoint, control = 0): Ask {
  const { path } = paidEndpoints[endpoint];
  return { path, body: control === 0 ? {} : { control }, claim: 'invalid' };
}

/** The response to an invalid unpaid body. If the order of checks changes, a response about the body. */
export async function askInvalid(
  context: Context,
  endpoint: PaidEndpoint,
  request: Ask,
): Promise<Found<Answered>> {
  const answered = await context.ask(request);
  return answered.ok ? aboutBody(context, endpoint, request, answered.value) : answered;
}

/** The same for a response that the caller already has. */
export async function aboutBody(
  context: Context,
  endpoint: PaidEndpoint,
  request: Ask,
  answered: Answered,
  isUnderConditions = false,
): Promise<Found<Answered>> {
  if (!isPaymentRequired(answered)) return found(answered);
  const order = await orderOfBody(context, endpoint);
  if (!order.ok) return order;
  // The same request outside the conditions lacks the concurrent requests, which may be the cause.
  if (order.value === 'own' && isUnderConditions) return found(answered);
  const rule = { kind: 'body', order: order.value, isOther: isPaymentRequired } as const;
  return aboutOwn(context, rule, answered, (attempt) =>
    context.send(attempt === 0 ? request : longer(request, attempt)),
  );
}

/** White space at the end changes the text but not its meaning (RFC 8259). */
export function longer({ body, text, ...request }: Ask, spaces: number): Ask {
  return { ...request, text: `${text ?? jsonText(body)}${' '.repeat(spaces)}` };
}

function isPaymentRequired({ outcome }: Answered): boolean {
  return outcome.status === 402;
}
