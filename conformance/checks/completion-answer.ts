import { mimeType } from '@paid-inference/contract/constants';
import type { TextCompletion } from '@paid-inference/contract/types';
import { check } from '../engine/check.ts';
import { given } from '../engine/found.ts';
import { member } from '../wire/base64-json.ts';
import { answerChecks, isUnixSeconds, withinMaximum } from './answer.ts';
import { essenceOf, hasStatus, is, isCount, isString } from './judgements.ts';
import { paidCompletion, served } from './paid-source.ts';

// The compiler holds this to the contract's types.
const kind = 'text_completion' as const satisfies TextCompletion['object'];
const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;

const { object, field, choices, choice } = answerChecks(paidCompletion);

/** A paid text answer (contract 2.7, 4.2). */
export const completionAnswerChecks = [
  check('completions.200.status', 'A paid text request is answered 200', (context) =>
    given(paidCompletion(context), ({ answered }) => hasStatus(answered, 200)),
  ),
  check('completions.200.content-type', `The answer is declared as \`${mimeType}\``, (context) =>
    given(served(paidCompletion(context)), ({ answered }) =>
      is(essenceOf(answered), (value) => value === mimeType, `"${mimeType}"`),
    ),
  ),
  withinMaximum('completions.max_tokens.respected', 'completions', paidCompletion),
  field('completions.body.id', 'id', isString, 'a string'),
  object('completions.body.object', kind),
  field('completions.body.created', 'created', isUnixSeconds, 'a Unix time in whole seconds'),
  field('completions.body.model', 'model', isString, 'a string'),
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
    `an object of the integers ${counts.join(', ')}`,
  ),
];
