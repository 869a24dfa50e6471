import { anotherModel, both, type Condition, has, knowing, parseBody, type } from '../conditions.ts';
import { isUnpaid } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import { messagesIn } from '../wire-edits.ts';

type Refusing = readonly [id: string, does: string, condition: Condition];

const refusing: readonly Refusing[] = [
  [
    'max-tokens-demanded-of-other-models',
    'rejects a body without `max_tokens` for every model except the first',
    both(anotherModel, (asked) => parseBody(asked)['max_tokens'] === undefined),
  ],
  [
    'tools-with-a-type-refused',
    'rejects tools with settlement type `private` when the last message is from the user',
    both(has('tools'), type('private'), (asked) => messagesIn(parseBody(asked)).at(-1)?.['role'] === 'user'),
  ],
  [
    'names-for-other-models-refused',
    'rejects a message with `name` for every model except the first',
    both(anotherModel, (asked) => messagesIn(parseBody(asked)).some(({ name }) => name !== undefined)),
  ],
];

/** Mutants that reject valid bodies only for some models or one settlement type (contract 2.1, 2.5, 4.3). */
export const drawnMutants: readonly Mutant[] = refusing.map(([id, does, condition]) => ({
  id,
  does,
  place: 'read',
  kills: ['robustness.valid-bodies'],
  edge: knowing(
    (isMet) => ({ read: (asked) => (isMet(asked) ? { ...asked, text: '{}' } : asked) }),
    both(isUnpaid, condition),
  ),
}));
