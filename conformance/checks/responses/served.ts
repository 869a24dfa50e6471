import { headerNames } from '@paid-inference/contract/constants';
import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Authorization } from '../../payment/sign.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { passing } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import {
  answersOf,
  isReported,
  type Past,
  paymentHeaderOf,
  paymentOf,
  unreported,
} from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds, unknown } from '../../types/verdict.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { AnswerRule } from './answer.ts';
import { chatContentType, chatRules } from './chat-answer.ts';
import { completionContentType, completionRules } from './completion-answer.ts';
import { chatReceiptRules, completionReceiptRule } from './receipt.ts';
import { callRules, offeredRule } from './tools.ts';

type Rules = Readonly<Record<PaidEndpoint, readonly AnswerRule[]>>;

/** What the first paid answer of each endpoint is judged by, of every other one (D-124). */
export const servedChecks = [
  ofEveryServed('served.content-type', 'Every paid answer is declared as JSON', {
    chat: [chatContentType],
    completions: [completionContentType],
  }),
  ofEveryServed('served.receipt', 'Every paid answer carries a whole receipt of its payment', {
    chat: chatReceiptRules,
    completions: [completionReceiptRule],
  }),
  ofEveryServed('served.body', 'The body of every paid answer is whole', {
    chat: [...chatRules, ...callRules],
    completions: completionRules,
  }),
  closingCheck('served.body', 'No paid answer breaks off', (context) => {
    const cut = context.transcript().filter(hasBrokenOff);
    context.cite(cut);
    const [first, second] = cut;
    // One may be the network's.
    if (first && !second)
      return Promise.resolve(unknown(`the body of answer ${first.number} broke off, and of no other`));
    return first
      ? Promise.resolve(
          broken('whole bodies', `${cut.length} that break off, of answer ${first.number} first`),
        )
      : given(served(paidChat(context)), () => holds());
  }),
  ofEveryServed('tools.offered', 'No answer calls a function that its request does not offer', {
    chat: [offeredRule],
    completions: [],
  }),
];

/** Whether a 200 with a receipt ended before its body did. */
function hasBrokenOff({ outcome }: Exchange): boolean {
  if (outcome.kind !== 'failure' || !outcome.hasBrokenOff || outcome.head?.status !== 200) return false;
  return outcome.head.headers.has(headerNames.paymentResponse.toLowerCase());
}

/** A rule that was found broken already is not looked at again: what it says is said. */
function ofEveryServed(requirement: JudgedId, title: string, rules: Rules): Check {
  return closingCheck(requirement, title, (context) =>
    // Paid already, unless a filter leaves nothing else.
    given(served(paidChat(context)), () => {
      const all = servedAnswers(context);
      const faults = unreported(context, all).flatMap((one) =>
        rules[one.endpoint].flatMap((rule) => {
          const verdict = rule.judge(one, one.payer);
          return verdict.kind === 'broken' && !isReported(context, rule.requirement)
            ? [{ one, rule, verdict }]
            : [];
        }),
      );
      context.cite(faults.map(({ one }) => one));
      const [first] = faults;
      return first
        ? broken(
            first.verdict.expected,
            `${first.verdict.actual} (answer ${first.one.number}, as ${first.rule.requirement})`,
          )
        : holds(`${all.length} answers`);
    }),
  );
}

/** A 200 to a payment of this run. */
export type Served = Past & { readonly payer: string; readonly authorization: Authorization };

/**
 * Every 200 to the payer of this run. What a payment brings that was used before is not shown by the contract (5), and only
 * looked at.
 */
export function servedAnswers(context: Context): readonly Served[] {
  const funded = context.budget?.payer.toLowerCase();
  const used = new Set<string>();
  return answersOf(context).flatMap((past) => {
    const header = paymentHeaderOf(past);
    const authorization = paymentOf(past)?.authorization;
    if (header === undefined || authorization === undefined || used.has(header)) return [];
    // What passes by itself has not been looked at: the payment may be sent again (D-110).
    if (!passing(past)) used.add(header);
    const payer = authorization.from;
    const isServed = past.outcome.status === 200 && payer.toLowerCase() === funded;
    return isServed ? [{ ...past, payer, authorization }] : [];
  });
}
