import { headerNames } from '@paid-inference/contract/constants';
import { hexlify, randomBytes } from 'ethers';
import { check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Sent, Signed } from '../../payment/throwaway.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import { paidChat, paidCompletion, served } from '../../sources/paid-source.ts';
import {
  isAboutFunds,
  paidByThrowaway,
  pricedOffer,
  readsPayments,
  unfunded,
  withByteChanged,
} from '../../sources/throwaway-source.ts';
import { paymentHeaderOf } from '../../sources/transcript-queries.ts';
import { andThen, type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { aboutSignature, orderOfSignature } from '../signatures/order-of-signature.ts';

/** A payment that was sent before is sent with one part changed, so that its signature does not fit the rest. */
type Change = {
  readonly words: string;
  readonly requirement: Readonly<Record<PaidEndpoint, JudgedId>>;
  readonly change: (before: Signed) => Sent;
};

const changes: readonly Change[] = [
  {
    words: 'A signature that was sent before, with another nonce,',
    requirement: { chat: 'signature.authorization-edited', completions: 'signature.completions' },
    change: ({ authorization, signature }) => ({
      authorization: { ...authorization, nonce: hexlify(randomBytes(32)) },
      signature,
    }),
  },
  {
    words: 'A nonce that was sent before, with one byte of the signature changed,',
    requirement: { chat: 'signature.tampered', completions: 'signature.tampered.completions' },
    change: ({ authorization, signature }) => ({ authorization, signature: withByteChanged(signature) }),
  },
];

/** A payment that a gateway has seen says nothing of the next one, however much of it is the same (contract 3, 5; D-180). */
export const secondTimeChecks = paidEndpointNames.flatMap((endpoint) => [
  ...changes.map(({ words, requirement, change }) =>
    check(requirement[endpoint], `${words} is refused (${endpoint})`, (context) =>
      given(context.once(goodBefore[endpoint]), (before) => judgeChanged(context, endpoint, before, change)),
    ),
  ),
  check(
    endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions',
    `A payment without funds that is sent again is refused (${endpoint})`,
    (context) =>
      given(unfunded(context, endpoint), (first) =>
        given(
          sendOnceMore(context, endpoint, first),
          (again) => passing(first) ?? judgeRefusal(context, again),
        ),
      ),
  ),
]);

/** The same of payments that were served. It costs no tokens: the token takes a nonce once, and no other signature. */
export const afterServedChecks = paidEndpointNames.flatMap((endpoint) =>
  changes.map(({ words, change }) =>
    check('signature.known-payer', `${words} is refused when it was served (${endpoint})`, (context) =>
      given(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), ({ payment }) =>
        given(
          paidByThrowaway(context, endpoint, () => ({ edit: () => change(payment) })),
          (answered) =>
            isAboutFunds(answered)
              ? unknown('the balance is looked at first, and is too low by now')
              : judgeTurnedDown(answered),
        ),
      ),
    ),
  ),
);

const goodBefore = {
  chat: (context: Context) => sendGood(context, 'chat'),
  completions: (context: Context) => sendGood(context, 'completions'),
} as const;

/** A payment with nothing wrong but that its payer owns nothing, once the target has answered it. */
function sendGood(context: Context, endpoint: PaidEndpoint): Promise<Found<Signed>> {
  return andThen(pricedOffer(context, endpoint), async () => {
    let before: Signed | undefined;
    const keep = (signed: Signed) => {
      before = signed;
      return signed;
    };
    const answered = await paidByThrowaway(context, endpoint, () => ({ edit: keep }));
    if (!answered.ok) return answered;
    const passed = passing(answered.value);
    if (passed) return { ok: false, verdict: passed };
    return before ? found(before) : missing('nothing was signed');
  });
}

/**
 * Where a signature is looked at before the balance, a complaint about the balance says that it was taken for valid. Where the
 * balance is looked at first, nothing is shown.
 */
function judgeChanged(
  context: Context,
  endpoint: PaidEndpoint,
  before: Signed,
  change: Change['change'],
): Promise<Judgement> {
  const spoil = () => ({ edit: () => change(before) });
  return given(paidByThrowaway(context, endpoint, spoil), (answered) =>
    given(aboutSignature(context, endpoint, spoil, answered), (shown) =>
      isAboutFunds(shown)
        ? given(orderOfSignature(context, endpoint), (order) =>
            order === 'own'
              ? broken('status 401', `${describe(shown)}: the signature was taken for valid`)
              : notApplicable('the balance is looked at first'),
          )
        : judgeRefusal(context, shown),
    ),
  );
}

function sendOnceMore(context: Context, endpoint: PaidEndpoint, first: Answered): Promise<Found<Answered>> {
  const content = paymentHeaderOf(first) ?? '';
  const request = validRequest(endpoint, bodyFor(endpoint, context.model), {
    [headerNames.payment]: content,
  });
  return context.send({ ...request, isRepeatable: true });
}

/** That it is refused shows something where payments are told from one another. */
export async function judgeRefusal(context: Context, answered: Answered): Promise<Judgement> {
  const verdict = judgeTurnedDown(answered);
  return verdict.kind === 'holds' ? given(readsPayments(context), () => verdict) : verdict;
}

/** A gateway may refuse such a payment in words of its own (contract 5). It never serves it. */
function judgeTurnedDown(answered: Answered): Judgement {
  const { status } = answered.outcome;
  return (
    passing(answered) ??
    (status >= 400 && status < 500
      ? holds(`refused: ${describe(answered)}`)
      : broken('a refusal', describe(answered)))
  );
}
