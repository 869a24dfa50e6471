import type { RequirementId } from '@paid-inference/contract/requirements';
import { failing } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { refusingOnce } from '../refusing-once.ts';
import { wrongErrors } from './errors.ts';

/** The 429 (contract 7): of a gateway that takes few requests, and one in the middle of a run. */
export const limitsMutants: readonly Mutant[] = wrongErrors.flatMap(
  ([id, does, breaks, change]): Mutant[] => [
    {
      ...answers(
        `${id}-on-429`,
        `${does} on 429`,
        breaks.map((part): RequirementId => `error.429.${part}`),
        failing(429, change),
      ),
      seenWith: 'limits',
    },
    {
      id: `${id}-on-one-429`,
      does: `${does} on a 429 after which it serves the request`,
      kills: ['error.429.row'],
      place: 'answer',
      edge: () => refusingOnce(change),
    },
  ],
);
