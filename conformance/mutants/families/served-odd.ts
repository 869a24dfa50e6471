import { parseBody } from '../conditions.ts';
import type { Asked } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import { findEndpoint, isPaid, messagesIn } from '../wire-edits.ts';
import { asServed } from './served-unpaid.ts';

type When = (asked: Asked) => boolean;

/** The content of the last message, or the prompt. */
function readLastText(asked: Asked): string | undefined {
  const body = parseBody(asked);
  const words = body['prompt'] ?? messagesIn(body).at(-1)?.['content'];
  return typeof words === 'string' ? words : undefined;
}

/** Mutants that serve unpaid requests with almost empty bodies or unusual headers (D-204, D-205). */
export const servedOddMutants: readonly Mutant[] = [
  serving(
    'an-empty-prompt',
    'with an empty prompt',
    (asked) => findEndpoint(asked) === 'completions' && readLastText(asked) === '',
  ),
  serving(
    'empty-content',
    'whose last chat message is empty',
    (asked) => findEndpoint(asked) === 'chat' && readLastText(asked) === '',
  ),
  serving('a-blank-text', 'with a text of white space alone', (asked) =>
    /^\s+$/.test(readLastText(asked) ?? ''),
  ),
  serving(
    'one-character',
    'whose last chat message has one character',
    (asked) => findEndpoint(asked) === 'chat' && readLastText(asked)?.length === 1,
  ),
  serving(
    'own-pages',
    'with its own origin as Origin',
    (asked) =>
      findEndpoint(asked) !== undefined && asked.headers['origin'] === `http://${asked.headers['host']}`,
  ),
  serving(
    'a-dry-run',
    'with `dry_run`',
    (asked) => findEndpoint(asked) !== undefined && asked.text.includes('"dry_run":true'),
  ),
  serving('no-tokens', 'with `max_tokens` 0', (asked) => parseBody(asked)['max_tokens'] === 0),
  serving(
    'no-user-agent',
    'without a User-Agent header',
    ({ headers }) => headers['user-agent'] === undefined,
  ),
  serving(
    'no-content-type',
    'without a Content-Type header',
    ({ headers }) => headers['content-type'] === undefined,
  ),
  serving('a-form', 'with the Content-Type of a form', ({ headers }) =>
    /form/.test(headers['content-type'] ?? ''),
  ),
  serving('chunks', 'with a chunked body', ({ headers }) => headers['transfer-encoding'] === 'chunked'),
];

/** Serves an unpaid request without validating its body. */
function serving(id: string, what: string, when: When): Mutant {
  return responds(
    `serves-for-${id}`,
    `serves an unpaid request ${what}`,
    ['unpaid.never-200'],
    (reply, asked) => (findEndpoint(asked) && !isPaid(asked) && when(asked) ? asServed(reply) : reply),
  );
}
