import type { JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { paidEndpointNames } from '../../sources/bodies.ts';
import {
  isAboutFunds,
  isBarePaymentRequired,
  tamper,
  tampered,
  unfunded,
} from '../../sources/throwaway-source.ts';
import { isReported } from '../../sources/transcript-queries.ts';
import { type Found, found } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';
import { aboutSignature } from '../signatures/order-of-signature.ts';
import { isRefusedForTerms, isRefusedPlainly, type WrongTerms, wrongTerms } from './conditions-terms.ts';

/** A payment by the key without funds, with one fault, and the response that it must get. */
export type Wrong = {
  readonly requirement: JudgedId;
  readonly words: string;
  readonly expected: string;
  readonly isSpoiled: boolean;
  readonly terms?: WrongTerms;
  readonly isRight: (answered: Answered) => boolean;
  /** Whether a usual request gets this response. If not, other checks report the fault. */
  readonly isRightPlainly: (context: Context) => Promise<Found<boolean>>;
};

export const signature: Wrong = {
  requirement: 'conditions.signature',
  words: 'Under all conditions, a signature with one changed byte gets 401',
  expected: 'status 401',
  isSpoiled: true,
  isRight: ({ outcome }) => outcome.status === 401,
  isRightPlainly: async (context) => {
    if (isReported(context, 'signature.tampered', 'signature.tampered.completions')) return found(false);
    const answered = await tampered(context);
    if (!answered.ok) return answered;
    const shown = await aboutSignature(context, 'chat', tamper, answered.value);
    return shown.ok ? found(shown.value.outcome.status === 401) : shown;
  },
};

export const funds: Wrong = {
  requirement: 'conditions.funds',
  words: 'Under all conditions, a payer without funds gets 402 with an error body',
  expected: 'status 402 with an error body',
  isSpoiled: false,
  // Other checks judge type and code of each response.
  isRight: (answered) => answered.outcome.status === 402 && !isBarePaymentRequired(answered),
  isRightPlainly: async (context) => {
    for (const endpoint of paidEndpointNames) {
      const plain = await unfunded(context, endpoint);
      if (!plain.ok) return plain;
      if (!isAboutFunds(plain.value)) return found(false);
    }
    return found(true);
  },
};

function ofTerms(terms: WrongTerms): Wrong {
  return {
    requirement: 'conditions.terms',
    words: `Under all conditions, ${wrongTerms[terms]} is refused for its terms`,
    expected: 'a refusal that does not name the balance',
    isSpoiled: false,
    terms,
    isRight: isRefusedForTerms,
    isRightPlainly: (context) => isRefusedPlainly(context, terms),
  };
}

/** The payments that a gateway must refuse under all conditions. */
export const wrongs: readonly Wrong[] = [
  signature,
  funds,
  ofTerms('to-self'),
  ofTerms('one-over'),
  ofTerms('not-yet-valid'),
  ofTerms('expired'),
];
