import { both, type Condition, has, isBeside, isReused, isText, knowing, model } from '../conditions.ts';
import { receipting } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import { isPaid, paymentOf, withMember } from '../wire-edits.ts';
import { readPayer } from './signature.ts';

type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['second-model', 'for its second model', model(1)],
  ['last-model-text', 'for a text completion with its last model', both(model(-1), isText)],
  ['reused-connection', 'on a reused connection', isReused],
  ['beside-others', 'while other requests are in progress', isBeside],
  ['stream', 'for a body with `stream`', has('stream')],
];

/** Mutants that treat a paid request wrongly under a condition (contract 3). */
export const paidConditionMutants: readonly Mutant[] = conditions.flatMap(
  ([id, when, condition]): readonly Mutant[] => [
    {
      id: `paid-${id}-refused`,
      does: `rejects a paid request ${when}`,
      place: 'read',
      kills: ['conditions.paid'],
      edge: knowing(
        (isMet) => ({
          // Other checks cover payments of the key without funds.
          read: (asked, forge) =>
            readPayer(paymentOf(asked)) === forge.payer && isMet(asked) ? { ...asked, text: '{}' } : asked,
        }),
        both(isPaid, condition),
      ),
    },
    {
      id: `paid-${id}-without-chain`,
      does: `names another chain in the receipt ${when}`,
      place: 'answer',
      kills: ['served.receipt'],
      edge: knowing(
        (isMet) => ({
          answer: receipting((receipt) => withMember(receipt, 'chainId', 1), { when: isMet }),
        }),
        both(isPaid, condition),
      ),
    },
  ],
);
