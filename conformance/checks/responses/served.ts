import { headerNames, mimeType } from '@paid-inference/contract/constants';
import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Authorization } from '../../payment/sign.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { judgeTransient, readMediaType } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import {
  isReported,
  listResponses,
  type Past,
  readPayment,
  readPaymentHeader,
  unreported,
} from '../../sources/transcript-queries.ts';
import { broken, holds, unknown } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { chatContentType, chatRules } from './chat-response.ts';
import { completionContentType, completionRules } from './completion-response.ts';
import { chatReceiptRules, completionReceiptRule } from './receipt.ts';
import type { ResponseRule } from './response-rules.ts';
import { callRules, offeredRule, parseRequest } from './tools.ts';

/** The media type of a web page. */
const pageType = 'text/html';

type Rules = Readonly<Record<PaidEndpoint, readonly ResponseRule[]>>;

/** Judges all other paid responses by the rules for the first one of each endpoint (D-124). */
export const servedChecks = [
  ofEveryServed('served.content-type', 'The Content-Type of every paid response is JSON', {
    chat: [chatContentType],
    completions: [completionContentType],
  }),
  ofEveryServed(
    'served.receipt',
    'Every paid response has a complete receipt of its payment',
    { chat: chatReceiptRules, completions: [completionReceiptRule] },
    { judgesStreams: true },
  ),
  ofEveryServed('served.body', 'The body of every paid response is complete', {
    chat: [...chatRules, ...callRules],
    completions: completionRules,
  }),
  closingCheck('served.body', 'No paid response breaks off', async (context) => {
    const cut = context.transcript().filter(hasBrokenOff);
    context.cite(cut);
    const [first, second] = cut;
    if (first && second) {
      const actual = `${cut.length} bodies that break off, first that of response ${first.number}`;
      return broken('complete bodies', actual);
    }
    // A single one may be a network fault.
    if (first) return unknown(`the body of response ${first.number} broke off, but no other one did`);
    const paid = await served(paidChat(context));
    return paid.ok ? holds() : paid.verdict;
  }),
  ofEveryServed('tools.offered', 'No response calls a function that its request does not offer', {
    chat: [offeredRule],
    completions: [],
  }),
];

/** Whether a 200 with a receipt ended before the end of its body. */
function hasBrokenOff({ outcome }: Exchange): boolean {
  if (outcome.kind !== 'failure' || !outcome.hasBrokenOff || outcome.head?.status !== 200) return false;
  return outcome.head.headers.has(headerNames.paymentResponse.toLowerCase());
}

/**
 * Whether a response is no JSON because its request asked for a stream. The contract shows no form of a stream (§4.4), so
 * only its receipt is judged here. A page or an empty body has no completion in any form (D-453).
 */
function isStream(one: Served): boolean {
  if (member(parseRequest(one), 'stream') !== true) return false;
  const type = readMediaType(one);
  return type !== mimeType && type !== pageType && one.outcome.body.trim() !== '';
}

/** Judges every paid response by rules. A broken rule that was already reported is left out. */
function ofEveryServed(
  requirement: JudgedId,
  title: string,
  rules: Rules,
  { judgesStreams = false }: { readonly judgesStreams?: boolean } = {},
): Check {
  return closingCheck(requirement, title, async (context) => {
    // Usually paid before, unless a filter selects only this check.
    const paid = await served(paidChat(context));
    if (!paid.ok) return paid.verdict;
    const all = servedResponses(context).filter((one) => judgesStreams || !isStream(one));
    const faults = unreported(context, all).flatMap((one) => findFaults(context, one, rules[one.endpoint]));
    context.cite(faults.map(({ one }) => one));
    const [first] = faults;
    if (!first) return holds(`${all.length} responses`);
    const { one, rule, verdict } = first;
    const by = `(request ${one.number}, by the rule of ${rule.requirement})`;
    return broken(verdict.expected, `${verdict.actual} ${by}`);
  });
}

function findFaults(context: Context, one: Served, rules: readonly ResponseRule[]) {
  return rules.flatMap((rule) => {
    const verdict = rule.judge(one, one.payer);
    if (verdict.kind !== 'broken' || isReported(context, rule.requirement)) return [];
    return [{ one, rule, verdict }];
  });
}

/** A 200 response to a payment of this run. */
export type Served = Past & { readonly payer: string; readonly authorization: Authorization };

/**
 * All 200 responses to the payer of this run, without responses to a used payment, which the contract does not
 * define (§5).
 */
export function servedResponses(context: Context): readonly Served[] {
  const funded = context.budget?.payer.toLowerCase();
  const used = new Set<string>();
  return listResponses(context).flatMap((past) => {
    const header = readPaymentHeader(past);
    const authorization = readPayment(past)?.authorization;
    if (header === undefined || authorization === undefined || used.has(header)) return [];
    // A transient response does not use the payment, which may be sent again (D-110).
    if (!judgeTransient(past)) used.add(header);
    const payer = authorization.from;
    const isServed = past.outcome.status === 200 && payer.toLowerCase() === funded;
    return isServed ? [{ ...past, payer, authorization }] : [];
  });
}
