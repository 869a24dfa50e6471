import type { Ask, Context } from '../context/context.ts';
import { andThen, type Found, found, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';

import { type PaidEndpoint, paidEndpoints } from './bodies.ts';
import { passing } from './judgements.ts';

/**
 * A request with two faults may be refused for either, and a gateway may change the order of its checks from request to request
 * (D-152). So a refusal for the other fault shows something only where the order is known to be the same each time.
 */

/** Which fault is named first in the answers to one request that was sent several times. */
export type Order = 'own' | 'other' | 'changes';

/** Requests that are sent once in a run to learn the order of two checks, for each endpoint. */
const controlsMax = 8;
/** So often a request is sent until it is refused for the fault that is asked about: where the order changes, and where it does not. */
const triesMax = { changes: 16, own: 3 } as const;
/** Such requests in a run, for all checks of a kind together. A payment needs an offer besides. */
const triesInAllMax = { body: 200, signature: 160 } as const;

/** What so many answers about either fault show. */
export function orderIn(own: number, other: number): Order {
  if (own === 0) return 'other';
  return other === 0 ? 'own' : 'changes';
}

/** Two checks, their order, and which answers name the other fault. */
type Ordered = {
  readonly kind: 'body' | 'signature';
  readonly order: Order;
  readonly isOther: (answered: Answered) => boolean;
};

/**
 * The answer itself, unless it names the other fault and another one to the same request does not. Where the order never seemed
 * to change, a few more answers to the very same decide: `send` gets 0, and else a number that is new. Where it changes, nothing is known until one names the fault that is asked about.
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
    : missing('the order of checks changes, and each answer named another fault');
}

const triesOfRun = {
  body: async () => ({ left: Number(triesInAllMax.body) }),
  signature: async () => ({ left: Number(triesInAllMax.signature) }),
} as const;

/** Whether an invalid body without a payment is refused for the body (`own`) or for the payment (`other`). */
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
    const passed = passing(answered.value);
    if (passed) return { ok: false, verdict: passed };
    if (isPaymentRequired(answered.value)) other += 1;
    const order = orderIn(control + 1 - other, other);
    if (order === 'changes') return found(order);
  }
  return found(orderIn(controlsMax - other, other));
}

/** A body with nothing in it that the contract knows. The first has nothing in it at all. */
export function emptyBody(endpoint: PaidEndpoint, control = 0): Ask {
  const { path } = paidEndpoints[endpoint];
  return { path, body: control === 0 ? {} : { control }, claim: 'invalid' };
}

/** The answer to an invalid body without a payment; where the order of checks changes, one that is about the body. */
export function askInvalid(context: Context, endpoint: PaidEndpoint, request: Ask): Promise<Found<Answered>> {
  return andThen(context.ask(request), (answered) => aboutBody(context, endpoint, request, answered));
}

/** The same for an answer that is there. */
export async function aboutBody(
  context: Context,
  endpoint: PaidEndpoint,
  request: Ask,
  answered: Answered,
  isUnderConditions = false,
): Promise<Found<Answered>> {
  if (!isPaymentRequired(answered)) return found(answered);
  return andThen(orderOfBody(context, endpoint), (order) =>
    // What is alone has not the company that may have been why.
    order === 'own' && isUnderConditions
      ? found(answered)
      : aboutOwn(context, { kind: 'body', order, isOther: isPaymentRequired }, answered, (attempt) =>
          context.send(attempt === 0 ? request : longer(request, attempt)),
        ),
  );
}

/** White space at the end changes the text, and nothing that it says (RFC 8259). */
export function longer({ body, text, ...request }: Ask, spaces: number): Ask {
  return { ...request, text: `${text ?? jsonText(body)}${' '.repeat(spaces)}` };
}

function isPaymentRequired({ outcome }: Answered): boolean {
  return outcome.status === 402;
}
