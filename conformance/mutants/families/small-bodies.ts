import { isText, parseBody } from '../conditions.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import { messagesIn } from '../wire-edits.ts';
import { type Failing, failsOn } from './lawful-bodies.ts';
import { header } from './served-unpaid.ts';

const hasContent =
  (content: string) =>
  (asked: Asked): boolean =>
    messagesIn(parseBody(asked)).at(-1)?.['content'] === content;
const hasPrompt =
  (prompt: string) =>
  (asked: Asked): boolean =>
    parseBody(asked)['prompt'] === prompt;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const hasNoTokens = (asked: Asked) => parseBody(asked)['max_tokens'] === 0;
const typeOf = header.bind(undefined, 'x-settlement-type');
const isForm = header('content-type', /urlencoded/);

const failing: readonly Failing[] = [
  ['empty-contents', 'an empty last message', hasContent('')],
  ['blank-contents', 'a blank last message', hasContent(' ')],
  ['numerals', 'a last message that is a JSON number', hasContent('1')],
  ['empty-prompts', 'an empty prompt', hasPrompt('')],
  ['blank-prompts', 'a blank prompt', hasPrompt(' ')],
  [
    'chats-of-no-tokens',
    'a chat with `max_tokens` 0',
    (asked) => !isText(asked, []) && hasNoTokens(asked),
    true,
  ],
  [
    'texts-of-no-tokens',
    'a text completion with `max_tokens` 0',
    (asked) => isText(asked, []) && hasNoTokens(asked),
  ],
  [
    'parameters-of-an-unknown-type',
    'parameters that are no JSON schema',
    ({ text }) => text.includes('"parameters":{"type":"wrong"}'),
  ],
  [
    'characters-zero-in-prompts',
    'a NUL in a prompt',
    (asked) => textOf(parseBody(asked)['prompt']).includes('\0'),
  ],
  [
    'empty-results',
    'an empty tool result',
    (asked) => messagesIn(parseBody(asked)).some(({ role, content }) => role === 'tool' && content === ''),
  ],
  [
    'users-in-other-scripts',
    'a `user` outside of ASCII',
    (asked) => /[^\x20-\x7e]/.test(textOf(parseBody(asked)['user'])),
  ],
  [
    'half-surrogates-in-names',
    'half of a surrogate pair in a name',
    ({ text }) => /"name":"\\ud800/.test(text),
  ],
  [
    'half-surrogates-in-arguments',
    'half of a surrogate pair in `arguments`',
    ({ text }) => /"arguments":"[^,]*\\ud800/.test(text),
  ],
  ['form-members-of-chats', 'a form with a chat', ({ text }) => /^model=.*&messages/.test(text)],
  [
    'texts-as-forms',
    'a text completion with the media type of a form',
    (asked) => isText(asked, []) && isForm(asked),
  ],
  ...[300_000, 1_200_000].map(
    (bytes): Failing => [
      `bodies-of-${bytes}-bytes`,
      `a body of ${bytes} bytes or more`,
      ({ text }) => text.length >= bytes,
    ],
  ),
  ['types-in-capitals', 'a settlement type in capitals', typeOf(/^[A-Z]+$/)],
  ['types-with-a-capital', 'a settlement type that begins with a capital', typeOf(/^[A-Z][a-z]/)],
];

/** Mutants that fail on the smallest requests, on forms, and on other spellings of a type (D-204, D-246). */
export const smallBodyMutants: readonly Mutant[] = [
  ...failing.map(failsOn),
  {
    ...failsOn(['blank-starts', 'white space before the body', ({ text }) => /^\s+\{/.test(text)]),
    kills: ['body.valid.unpaid', 'error.none-5xx'],
  },
];
