import type { Edge } from '../edge.ts';
import { isAboutFunds, isUnpaid, offering } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { findEndpoint, withMember, withoutHeader } from '../wire-edits.ts';

const offerHeader = 'X-PAYMENT-REQUIRED';

/** Omits the offer from the 402 response right after a 402 insufficient_funds. */
function forgetsAfterRefusal(): Edge {
  let wasRefused = false;
  return {
    respond: (reply, asked) => {
      const isForgotten = wasRefused && isUnpaid(asked) && reply.status === 402;
      wasRefused = isAboutFunds(asked, reply);
      return isForgotten ? withoutHeader(reply, offerHeader) : reply;
    },
  };
}

/** Omits the offer for text completions after a paid one. */
function forgetsOncePaid(): Edge {
  let wasPaid = false;
  return {
    respond: (reply, asked) => {
      const isText = findEndpoint(asked) === 'completions';
      if (isText && !isUnpaid(asked) && reply.status === 200) wasPaid = true;
      return wasPaid && isText && isUnpaid(asked) ? withoutHeader(reply, offerHeader) : reply;
    },
  };
}

/** Mutants that only a comparison of several responses reveals. */
export const sequenceMutants: readonly Mutant[] = [
  {
    id: 'no-offer-after-a-refusal',
    does: 'omits the offer from the 402 response right after a 402 insufficient_funds',
    place: 'respond',
    edge: forgetsAfterRefusal,
    kills: ['sequence.refused-then-unpaid', 'error.402.offer'],
  },
  {
    id: 'no-offer-once-paid',
    does: 'omits the offer for text completions after one was paid for',
    place: 'respond',
    edge: forgetsOncePaid,
    kills: ['sequence.paid-then-unpaid', 'error.402.offer'],
  },
  responds(
    'name-of-its-own-without-tools',
    'sets `extra.name` of its offer to another token when `tool_choice` is `none`',
    ['body.valid.paid', 'conditions.funds', 'offer.extra.name', 'offer.same-token'],
    offering((offer) => withMember(offer, 'extra.name', 'Another Token'), {
      when: (asked) => asked.text.includes('"tool_choice":"none"'),
    }),
  ),
  responds(
    'token-of-its-own-without-tools',
    'sets `asset` of its offer to another token when `tool_choice` is `none`',
    ['conditions.funds', 'offer.same-token'],
    offering((offer) => withMember(offer, 'asset', `0x${'07'.repeat(20)}`), {
      when: (asked) => asked.text.includes('"tool_choice":"none"'),
    }),
  ),
];
