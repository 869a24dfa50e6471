import { headerNames } from '@paid-inference/contract/constants';
import { hexlify, randomBytes } from 'ethers';
import { check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Sent, Signed } from '../../payment/throwaway.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import {
  isAboutFunds,
  paidByThrowaway,
  pricedOffer,
  readsPayments,
  unfunded,
  withByteChanged,
} from '../../sources/throwaway-source.ts';
import { readPaymentHeader } from '../../sources/transcript-queries.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { refusedForBalance } from '../signatures/known-payer.ts';
import { aboutSignature, orderOfSignature } from '../signatures/order-of-signature.ts';

/** A payment that was sent before, with one part changed so that the signature no longer fits. */
type Change = {
  readonly words: string;
  readonly requirement: Readonly<Record<PaidEndpoint, JudgedId>>;
  readonly change: (before: Signed) => Sent;
};

const changes: readonly Change[] = [
  {
    words: 'An earlier signature with another nonce',
    requirement: { chat: 'signature.authorization-edited', completions: 'signature.completions' },
    change: ({ authorization, signature }) => ({
      authorization: { ...authorization, nonce: hexlify(randomBytes(32)) },
      signature,
    }),
  },
  {
    words: 'An earlier nonce with one changed byte in the signature',
    requirement: { chat: 'signature.tampered', completions: 'signature.tampered.completions' },
    change: ({ authorization, signature }) => ({ authorization, signature: withByteChanged(signature) }),
  },
];

/** Differences between what a payment says and what its payer signed, which is as the offer demands (D-438). */
const saidOtherwise: readonly Change[] = [
  says('to', ({ from }) => from),
  says('value', ({ value }) => (BigInt(value) - 1n).toString()),
];

function says(name: 'to' | 'value', change: (signed: Signed['authorization']) => string): Change {
  return {
    words: `An earlier signature with another \`${name}\` beside it`,
    requirement: { chat: 'signature.authorization-edited', completions: 'signature.completions' },
    change: ({ authorization, signature }) => ({
      authorization: { ...authorization, [name]: change(authorization) },
      signature,
    }),
  };
}

/** Checks that a gateway verifies each payment, even if parts of it were sent before (§3, §5, D-180). */
export const secondTimeChecks = paidEndpointNames.flatMap((endpoint) => [
  ...[...changes, ...saidOtherwise].map(({ words, requirement, change }) =>
    check(requirement[endpoint], `${words} is refused (${endpoint})`, (context) =>
      given(context.once(goodBefore[endpoint]), (before) => judgeChanged(context, endpoint, before, change)),
    ),
  ),
  check(
    endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions',
    `A repeated payment without funds is refused (${endpoint})`,
    async (context) => {
      const first = await unfunded(context, endpoint);
      if (!first.ok) return first.verdict;
      const again = await sendOnceMore(context, endpoint, first.value);
      if (!again.ok) return again.verdict;
      return judgeTransient(first.value) ?? judgeRefusal(context, again.value);
    },
  ),
]);

/**
 * The same checks with served payments. They cost no tokens: the token uses a nonce once and rejects other
 * signatures.
 */
export const afterServedChecks = paidEndpointNames.flatMap((endpoint) =>
  changes.map(({ words, change }) =>
    check(
      'signature.known-payer',
      `${words} is refused after it was served (${endpoint})`,
      async (context) => {
        const paid = await servedAt(context, endpoint);
        if (!paid.ok) return paid.verdict;
        const { payment } = paid.value;
        const answered = await paidByThrowaway(context, endpoint, () => ({ edit: () => change(payment) }));
        if (!answered.ok) return answered.verdict;
        if (!isAboutFunds(answered.value)) return judgeTurnedDown(answered.value);
        return unknown(refusedForBalance);
      },
    ),
  ),
);

const goodBefore = {
  chat: (context: Context) => sendGood(context, 'chat'),
  completions: (context: Context) => sendGood(context, 'completions'),
} as const;

/** A correct payment by a payer without funds, after the target has answered it. */
async function sendGood(context: Context, endpoint: PaidEndpoint): Promise<Found<Signed>> {
  const priced = await pricedOffer(context, endpoint);
  if (!priced.ok) return priced;
  let before: Signed | undefined;
  const keep = (signed: Signed) => {
    before = signed;
    return signed;
  };
  const answered = await paidByThrowaway(context, endpoint, () => ({ edit: keep }));
  if (!answered.ok) return answered;
  const passed = judgeTransient(answered.value);
  if (passed) return { ok: false, verdict: passed };
  return before ? found(before) : missing('the suite signed no payment');
}

/**
 * If the gateway checks the signature first, a refusal for the balance shows that the gateway took the
 * signature for valid. If it checks the balance first, the check is not applicable.
 */
async function judgeChanged(
  context: Context,
  endpoint: PaidEndpoint,
  before: Signed,
  change: Change['change'],
): Promise<Judgement> {
  const spoil = () => ({ edit: () => change(before) });
  const answered = await paidByThrowaway(context, endpoint, spoil);
  if (!answered.ok) return answered.verdict;
  const shown = await aboutSignature(context, endpoint, spoil, answered.value);
  if (!shown.ok) return shown.verdict;
  if (!isAboutFunds(shown.value)) return judgeRefusal(context, shown.value);
  const order = await orderOfSignature(context, endpoint);
  if (!order.ok) return order.verdict;
  if (order.value !== 'own') return notApplicable('the deployment checks the balance first');
  return broken('status 401', `${describe(shown.value)}, so the deployment took the signature for valid`);
}

function sendOnceMore(context: Context, endpoint: PaidEndpoint, first: Answered): Promise<Found<Answered>> {
  const content = readPaymentHeader(first) ?? '';
  const request = validRequest(endpoint, bodyFor(endpoint, context.model), {
    [headerNames.payment]: content,
  });
  return context.send({ ...request, isRepeatable: true });
}

/** A refusal passes only if the gateway distinguishes payments. */
export async function judgeRefusal(context: Context, answered: Answered): Promise<Judgement> {
  const verdict = judgeTurnedDown(answered);
  if (verdict.kind !== 'holds') return verdict;
  const reads = await readsPayments(context);
  return reads.ok ? verdict : reads.verdict;
}

/** A gateway may refuse a repeated payment with any 4xx (§5), but must never serve it. */
function judgeTurnedDown(answered: Answered): Judgement {
  const passed = judgeTransient(answered);
  if (passed) return passed;
  const { status } = answered.outcome;
  if (status >= 400 && status < 500) return holds(`refused: ${describe(answered)}`);
  return broken('a refusal', describe(answered));
}
