import { anotherModel, bodyOf, both, type Condition, has, knowing, type } from '../conditions.ts';
import { isUnpaid } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import { messagesOf } from '../wire-edits.ts';

type Refusing = readonly [id: string, does: string, condition: Condition];

const refusing: readonly Refusing[] = [
  [
    'max-tokens-demanded-of-other-models',
    'refuses a body without `max_tokens` for all models but the first',
    both(anotherModel, (asked) => bodyOf(asked)['max_tokens'] === undefined),
  ],
  [
    'tools-with-a-type-refused',
    'refuses tools before any call with `private`',
    both(has('tools'), type('private'), (asked) => messagesOf(bodyOf(asked)).at(-1)?.['role'] === 'user'),
  ],
  [
    'names-for-other-models-refused',
    'refuses a message with a name for all models but the first',
    both(anotherModel, (asked) => messagesOf(bodyOf(asked)).some(({ name }) => name !== undefined)),
  ],
];

/** Valid bodies that are refused for one model or one settlement type alone (contract 2.1, 2.5, 4.3). */
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
