import type { ChatCompletion } from '@paid-inference/contract/types';
import { check, observation } from '../../context/check.ts';
import { is, isCount, isName, isString, written } from '../../sources/judgements.ts';
import { paidChat, servedBody } from '../../sources/paid-source.ts';
import { given } from '../../types/found.ts';
import { broken, holds, seen } from '../../types/verdict.ts';
import { isObject, member } from '../../wire/base64-json.ts';
import { judgePaidStatus } from './paid-status.ts';
import {
  choice,
  choices,
  createChecks,
  declaredAsJson,
  field,
  isUnixSeconds,
  object,
  type ResponseRule,
  readChoices,
  withinMaximum,
} from './response-rules.ts';

// The compiler compares these constants with the contract's types.
const kind = 'chat.completion' as const satisfies ChatCompletion['object'];
const role = 'assistant' as const satisfies ChatCompletion['choices'][number]['message']['role'];

/** The media type of each chat response. */
export const chatContentType: ResponseRule = declaredAsJson('chat.200.content-type');

/** Rules for the body of each chat response (§2.6). */
export const chatRules: readonly ResponseRule[] = [
  field('chat.body.id', 'id', isName, 'a string that is not empty'),
  object('chat.body.object', kind),
  field('chat.body.created', 'created', isUnixSeconds, 'a Unix time in whole seconds'),
  field('chat.body.model', 'model', isName, 'a string that is not empty'),
  choices('chat.body.choices'),
  choice('chat.body.choices.index', '`index` is an integer', ({ index }) =>
    is(index, Number.isInteger, 'an integer'),
  ),
  choice('chat.body.choices.message.role', '`message.role` is `assistant`', ({ message }) =>
    is(member(message, 'role'), (value) => value === role, `"${role}"`),
  ),
  choice(
    'chat.body.choices.message.content',
    '`message.content` is a string, or null with `tool_calls`',
    ({ message }) => judgeContent(message),
  ),
  choice('chat.body.choices.finish_reason', '`finish_reason` is a string', ({ finish_reason: reason }) =>
    is(reason, isString, 'a string'),
  ),
  field('chat.body.usage.prompt_tokens', 'usage.prompt_tokens', isCount, 'an integer of at least 0'),
  field('chat.body.usage.completion_tokens', 'usage.completion_tokens', isCount, 'an integer of at least 0'),
  field('chat.body.usage.total_tokens', 'usage.total_tokens', isCount, 'an integer of at least 0'),
];

/** Checks of a paid chat response (§2.6, §4.1). */
export const chatResponseChecks = [
  check('chat.200.status', 'A paid chat request gets 200', (context) =>
    given(paidChat(context), ({ answered }) => judgePaidStatus(context, 'chat', answered)),
  ),
  ...createChecks([chatContentType, ...chatRules], paidChat),
  withinMaximum('chat.max_tokens.respected', 'chat', paidChat),
  observation('chat.body.finish_reason.values', 'Observed `finish_reason`', async (context) => {
    const body = await servedBody(paidChat(context));
    if (!body.ok) return body.verdict;
    const all = readChoices(body.value);
    if (!all.ok) return all.verdict;
    return seen(all.value.map(({ finish_reason: reason }) => written(reason)).join(', '));
  }),
];

/** Checks that the content is a string, or null if the message has tool calls (§2.6). */
export function judgeContent(message: unknown) {
  const content = member(message, 'content');
  if (isString(content)) return holds();
  const calls = member(message, 'tool_calls');
  const isCalling = Array.isArray(calls) && calls.length > 0;
  if (isCalling && content === null && isObject(message)) return holds('null with tool calls');
  return broken(isCalling ? 'a string or null' : 'a string', written(content));
}
