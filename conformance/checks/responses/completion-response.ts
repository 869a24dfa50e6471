import type { TextCompletion } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import { is, isCount, isName, isString } from '../../sources/judgements.ts';
import { paidCompletion } from '../../sources/paid-source.ts';
import { given } from '../../types/found.ts';
import { member } from '../../wire/base64-json.ts';
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
  withinMaximum,
} from './response-rules.ts';

// The compiler compares this constant with the contract's types.
const kind = 'text_completion' as const satisfies TextCompletion['object'];
const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;

/** The media type of each text response. */
export const completionContentType: ResponseRule = declaredAsJson('completions.200.content-type');

/** Rules for the body of each text response (§2.7). */
export const completionRules: readonly ResponseRule[] = [
  field('completions.body.id', 'id', isName, 'a string that is not empty'),
  object('completions.body.object', kind),
  field('completions.body.created', 'created', isUnixSeconds, 'a Unix time in whole seconds'),
  field('completions.body.model', 'model', isName, 'a string that is not empty'),
  choices('completions.body.choices'),
  choice('completions.body.choices.index', '`index` is an integer', ({ index }) =>
    is(index, Number.isInteger, 'an integer'),
  ),
  choice('completions.body.choices.text', '`text` is a string', ({ text }) => is(text, isString, 'a string')),
  choice(
    'completions.body.choices.finish_reason',
    '`finish_reason` is a string',
    ({ finish_reason: reason }) => is(reason, isString, 'a string'),
  ),
  field(
    'completions.body.usage',
    'usage',
    (usage) => counts.every((name) => isCount(member(usage, name))),
    `an object with the integers ${counts.join(', ')}`,
  ),
];

/** Checks of a paid text response (§2.7, §4.2). */
export const completionResponseChecks = [
  check('completions.200.status', 'A paid text request gets 200', (context) =>
    given(paidCompletion(context), ({ answered }) => judgePaidStatus(context, 'completions', answered)),
  ),
  ...createChecks([completionContentType], paidCompletion),
  withinMaximum('completions.max_tokens.respected', 'completions', paidCompletion),
  ...createChecks(completionRules, paidCompletion),
];
