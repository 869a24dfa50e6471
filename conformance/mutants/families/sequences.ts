import type { Edge } from '../edge.ts';
import { isAboutFunds, isUnpaid, offering } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { endpointOf, withMember, withoutHeader } from '../wire-edits.ts';

const offerHeader = 'X-PAYMENT-REQUIRED';

/** Demands nothing after a refusal for want of funds, until anything else was asked. */
function forgetsAfterRefusal(): Edge {
  let wasRefused = false;
  return {
    answer: (reply, asked) => {
      const isForgotten = wasRefused && isUnpaid(asked) && reply.status === 402;
      wasRefused = isAboutFunds(asked, reply);
      return isForgotten ? withoutHeader(reply, offerHeader) : reply;
    },
  };
}

/** Demands nothing of texts any more once one was paid for. */
function forgetsOncePaid(): Edge {
  let wasPaid = false;
  return {
    answer: (reply, asked) => {
      const isText = endpointOf(asked) === 'completions';
      if (isText && !isUnpaid(asked) && reply.status === 200) wasPaid = true;
      return wasPaid && isText && isUnpaid(asked) ? withoutHeader(reply, offerHeader) : reply;
    },
  };
}

/** What shows only when several answers are put side by side. */
export const sequenceMutants: readonly Mutant[] = [
  {
    id: 'no-offer-after-a-refusal',
    does: 'makes no offer to whoever it has just refused for want of funds',
    place: 'answer',
    edge: forgetsAfterRefusal,
    kills: ['sequence.refused-then-unpaid', 'error.402.offer'],
  },
  {
    id: 'no-offer-once-paid',
    does: 'makes no offer for texts any more once one was paid for',
    place: 'answer',
    edge: forgetsOncePaid,
    kills: ['sequence.paid-then-unpaid', 'error.402.offer'],
  },
  answers(
    'name-of-its-own-without-tools',
    'names its token otherwise where no tool may be called',
    ['body.valid.paid', 'offer.extra.name', 'offer.same-token'],
    offering((offer) => withMember(offer, 'extra.name', 'Another Token'), {
      when: (asked) => asked.text.includes('"tool_choice":"none"'),
    }),
  ),
  answers(
    'token-of-its-own-without-tools',
    'offers in another token where no tool may be called',
    ['offer.same-token'],
    offering((offer) => withMember(offer, 'asset', `0x${'07'.repeat(20)}`), {
      when: (asked) => asked.text.includes('"tool_choice":"none"'),
    }),
  ),
];
