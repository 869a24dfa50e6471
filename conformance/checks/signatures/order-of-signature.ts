import type { Context } from '../../context/context.ts';
import { chatBody, completionBody, type PaidEndpoint } from '../../sources/bodies.ts';
import { judgeTransient } from '../../sources/judgements.ts';
import { aboutOwn, type Order, orderIn } from '../../sources/order-of-checks.ts';
import { freshOffer, isAboutFunds, type Spoil, sendPayment, tamper } from '../../sources/throwaway-source.ts';
import { type Found, found } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';
import { byAnother } from './signature-faults.ts';

/** Two different invalid signatures: a gateway that accepts one of them refuses the other. */
const controlSpoils: readonly Spoil[] = [tamper, byAnother.spoil];
/** How many payments are sent with each of them. */
const controlsMax = 6;

/**
 * Finds out if an invalid signature of a payer without funds is refused for the signature (`own`) or for the
 * balance (`other`). Each payment has its own body and offer.
 */
export function orderOfSignature(context: Context, endpoint: PaidEndpoint): Promise<Found<Order>> {
  return context.once(orders[endpoint]);
}

const orders = {
  chat: (context: Context) => findOrder(context, 'chat'),
  completions: (context: Context) => findOrder(context, 'completions'),
} as const;

async function findOrder(context: Context, endpoint: PaidEndpoint): Promise<Found<Order>> {
  const kinds: Order[] = [];
  for (const [index, spoil] of controlSpoils.entries()) {
    let [own, other] = [0, 0];
    for (let control = 0; control < controlsMax; control += 1) {
      const number = index * controlsMax + control;
      const answered = await payOtherwise(context, endpoint, spoil, number);
      if (!answered.ok) return answered;
      const passed = judgeTransient(answered.value);
      if (passed) return { ok: false, verdict: passed };
      if (answered.value.outcome.status === 401) own += 1;
      else if (isAboutFunds(answered.value)) other += 1;
      if (orderIn(own, other) === 'changes') return found('changes');
    }
    kinds.push(orderIn(own, other));
  }
  return found(kinds.includes('own') ? 'own' : 'other');
}

/**
 * The response to an invalid signature. If it names the balance, a later response to such a signature that does
 * not.
 */
export async function aboutSignature(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil,
  answered: Answered,
): Promise<Found<Answered>> {
  if (!isAboutFunds(answered)) return found(answered);
  const order = await orderOfSignature(context, endpoint);
  if (!order.ok) return order;
  const rule = { kind: 'signature', order: order.value, isOther: isAboutFunds } as const;
  return aboutOwn(context, rule, answered, (attempt) => payOtherwise(context, endpoint, spoil, attempt));
}

/** A payment by the throw-away key for a body that differs from the usual one. */
export async function payOtherwise(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil,
  attempt: number,
): Promise<Found<Answered>> {
  const body = attempt === 0 ? undefined : saying[endpoint](context.model, attempt);
  const fresh = await freshOffer(context, endpoint, body);
  if (!fresh.ok) return fresh;
  const { offer, endsAtMs } = fresh.value;
  const content = await context.throwaway.pay(offer, context.nowSeconds(), spoil(offer));
  return sendPayment(context, endpoint, { content, endsAtMs }, body);
}

// Only a letter in brackets distinguishes these bodies from the usual one. A gateway that fails to check another kind of body would
// seem to change the order of its checks.
const saying = {
  chat: (model: string, number: number) => {
    const { messages, ...rest } = chatBody(model);
    const [last, ...before] = messages.toReversed();
    return {
      ...rest,
      messages: [...before.reverse(), { ...last, content: `${last?.content} ${mark(number)}` }],
    };
  },
  completions: (model: string, number: number) => {
    const { prompt, ...rest } = completionBody(model);
    return { ...rest, prompt: `${prompt} ${mark(number)}` };
  },
} as const;

function mark(number: number): string {
  return `(${String.fromCodePoint(0x61 + number)})`;
}
