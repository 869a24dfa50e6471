import { ranges } from '@paid-inference/contract/constants';
import { check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import {
  bodyFor,
  invalidRequest,
  noJson,
  type PaidEndpoint,
  paidEndpointNames,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { type Paid, sendAgain } from '../../sources/paid-source.ts';
import { isReported } from '../../sources/transcript-queries.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { lacking, putting, type Spoils } from '../bodies/rejects.ts';
import { besideGood } from './payment-terms.ts';

/** A rule about bodies with its unpaid requirement, and changes that break the rule. */
type Rule = readonly [requirement: JudgedId, spoils: Spoils<object>];

/** Invalid bodies that should cost as much as the usual body, because the payment is for the usual body. */
const rules: Readonly<Record<PaidEndpoint, readonly Rule[]>> = {
  chat: [
    ['body.chat.temperature.maximum', tooHot(ranges.ChatCompletionRequest.temperature.maximum)],
    ['body.chat.temperature.minimum', tooCold(ranges.ChatCompletionRequest.temperature.minimum)],
    ['body.chat.temperature.number', putting('temperature', { 'a numeral in a string': '1' })],
    ['body.chat.max_tokens.integer', putting('max_tokens', { 'a numeral in a string': '16' })],
    ['body.chat.stop.array', putting('stop', { 'a number': 7 })],
    ['body.chat.model.required', lacking('model')],
    ['body.chat.model.string', putting('model', { 'a number': 7 })],
    ['body.chat.messages.required', lacking('messages')],
    ['body.chat.messages.array', putting('messages', { 'a string': 'Say pong.' })],
    ['body.chat.messages.objects', putting('messages', { 'an array of strings': ['Say pong.'] })],
    ['body.message.role.enum', saying('another `role`', { role: 'narrator', content: 'Say pong.' })],
    ['body.message.content.required', saying('no `content`', { role: 'user' })],
    ['body.message.content.string', saying('a number for `content`', { role: 'user', content: 7 })],
    ['body.message.tool_call_id.required', saying('no `tool_call_id`', { role: 'tool', content: 'pong' })],
    ['body.chat.tools.array', putting('tools', { 'a string': 'get_weather' })],
    ['body.chat.tool_choice.string', putting('tool_choice', { 'a number': 7 })],
    ['body.chat.json', noJson],
  ],
  completions: [
    ['body.completions.temperature.range', tooHot(ranges.CompletionRequest.temperature.maximum)],
    ['body.completions.temperature.range', tooCold(ranges.CompletionRequest.temperature.minimum)],
    ['body.completions.temperature.number', putting('temperature', { 'a numeral in a string': '1' })],
    ['body.completions.max_tokens.integer', putting('max_tokens', { 'a numeral in a string': '16' })],
    ['body.completions.stop.array', putting('stop', { 'a number': 7 })],
    ['body.completions.model.required', lacking('model')],
    ['body.completions.model.string', putting('model', { 'a number': 7 })],
    ['body.completions.prompt.required', lacking('prompt')],
    ['body.completions.prompt.string', putting('prompt', { 'a number': 7, 'an array of one': ['One,'] })],
    ['body.completions.json', noJson],
  ],
};

/**
 * Checks invalid bodies with a payment for another body (§3, §7). The payment is refused with the first body
 * and sent again with the next ones: one signature covers all, and its value moves at most once (D-131).
 */
export const invalidPaidChecks = paidEndpointNames.flatMap((endpoint) => [
  check('body.invalid.paid', `A paid request with an invalid body gets 400 (${endpoint})`, (context) =>
    given(context.once(firstInvalid[endpoint]), judgeFirst),
  ),
  check('body.invalid.paid', `No paid request with an invalid body is served (${endpoint})`, (context) =>
    given(context.once(firstInvalid[endpoint]), (first) => judgeOthers(context, endpoint, first)),
  ),
]);

type Invalid = readonly [name: string, body: unknown];
type First = { readonly name: string; readonly paid: Paid; readonly others: readonly Invalid[] };

/** The first payment with an invalid body for each endpoint. Most targets refuse it without using it up. */
export const firstInvalid = {
  chat: (context: Context) => payForFirst(context, 'chat'),
  completions: (context: Context) => payForFirst(context, 'completions'),
};

async function payForFirst(context: Context, endpoint: PaidEndpoint): Promise<Found<First>> {
  const usual = bodyFor(endpoint, context.model);
  // Leaves out rules that unpaid requests already showed as broken.
  const bodies = rules[endpoint]
    .filter(([requirement]) => !isReported(context, requirement))
    .flatMap(([, spoils]) => Object.entries(spoils).map(([name, spoil]): Invalid => [name, spoil(usual)]));
  const [first, ...others] = bodies;
  if (!first) return missing('the deployment breaks every rule about bodies even without a payment');
  const [name, body] = first;
  const instead = invalidRequest(endpoint, body);
  const paid = await besideGood(context, endpoint, { instead });
  return paid.ok ? found({ name, paid: paid.value, others }) : paid;
}

/** The payment is for the usual body, so a gateway may refuse it because the body differs (D-131). */
function judgeFirst({ name, paid: { answered } }: First): Judgement {
  const { status } = answered.outcome;
  if (status === 400) return holds();
  const passed = judgeTransient(answered);
  if (passed) return passed;
  const words = `${describe(answered)} for ${name}`;
  if (status > 400 && status < 500) {
    return notApplicable(`the contract does not define the response to a payment for another body: ${words}`);
  }
  return broken('status 400 for an invalid body', words);
}

async function judgeOthers(context: Context, endpoint: PaidEndpoint, first: First): Promise<Judgement> {
  const { name, paid, others } = first;
  const { payment, answered } = paid;
  if (answered.outcome.status !== 400) {
    const judged = judgeFirst(first);
    if (judged.kind !== 'broken') return judged;
    return notApplicable(`the deployment used the payment for ${name} instead of refusing it`);
  }
  const open: string[] = [];
  for (const [other, body] of others) {
    const again = await sendAgain(context, payment, invalidRequest(endpoint, body));
    if (!again.ok) return again.verdict;
    const { status } = again.value.outcome;
    if (status < 400) {
      return broken('a refusal of an invalid body', `${describe(again.value)} for ${other}`);
    }
    const passed = judgeTransient(again.value);
    if (passed) return passed;
    if (status >= 500)
      return broken('status 400 for an invalid body', `${describe(again.value)} for ${other}`);
    if (status !== 400) open.push(`${describe(again.value)} for ${other}`);
  }
  if (open.length === 0) return holds(`${others.length} bodies`);
  return notApplicable(
    `the contract does not define the response to a payment that was refused before: ${open.join('; ')}`,
  );
}

function tooHot(maximum: number): Spoils<object> {
  return putting('temperature', { 'a value above the maximum': maximum + 0.1 });
}

function tooCold(minimum: number): Spoils<object> {
  return putting('temperature', { 'a value below the minimum': minimum - 0.1 });
}

/** A conversation of one message. */
function saying(name: string, message: object): Spoils<object> {
  return { [`a message with ${name}`]: (body) => ({ ...body, messages: [message] }) };
}
