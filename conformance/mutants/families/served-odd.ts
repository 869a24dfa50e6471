import { bodyOf } from '../conditions.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
import { endpointOf, isPaid, messagesOf } from '../wire-edits.ts';
import { asServed } from './served-unpaid.ts';

type When = (asked: Asked) => boolean;

/** The text of the last message, or the prompt. */
function wordsOf(asked: Asked): string | undefined {
  const body = bodyOf(asked);
  const words = body['prompt'] ?? messagesOf(body).at(-1)?.['content'];
  return typeof words === 'string' ? words : undefined;
}

/** Unpaid requests that are served though they ask for little, or come from an odd client (D-204, D-205). */
export const servedOddMutants: readonly Mutant[] = [
  serving(
    'an-empty-prompt',
    'an empty prompt',
    (asked) => endpointOf(asked) === 'completions' && wordsOf(asked) === '',
  ),
  serving(
    'empty-content',
    'a chat with empty content',
    (asked) => endpointOf(asked) === 'chat' && wordsOf(asked) === '',
  ),
  serving('a-blank-text', 'a blank text', (asked) => /^\s+$/.test(wordsOf(asked) ?? '')),
  serving(
    'one-character',
    'a chat of one character',
    (asked) => endpointOf(asked) === 'chat' && wordsOf(asked)?.length === 1,
  ),
  serving('no-tokens', 'a body with `max_tokens` 0', (asked) => bodyOf(asked)['max_tokens'] === 0),
  serving('no-user-agent', 'a client without a name', ({ headers }) => headers['user-agent'] === undefined),
  serving('no-content-type', 'a body of no type', ({ headers }) => headers['content-type'] === undefined),
  serving('a-form', 'a body that is called a form', ({ headers }) =>
    /form/.test(headers['content-type'] ?? ''),
  ),
  serving('chunks', 'a body in chunks', ({ headers }) => headers['transfer-encoding'] === 'chunked'),
];

/** Looks at nothing else of the body. */
function serving(id: string, what: string, when: When): Mutant {
  return answers(
    `serves-for-${id}`,
    `serves without a payment for ${what}`,
    ['unpaid.never-200'],
    (reply, asked) => (endpointOf(asked) && !isPaid(asked) && when(asked) ? asServed(reply) : reply),
  );
}
