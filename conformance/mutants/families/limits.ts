import type { RequirementId } from '@paid-inference/contract/requirements';
import { failing } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { refusingOnce } from '../refusing-once.ts';
import { wrongErrors } from './errors.ts';

/** Mutants of the 429 response (contract 7): under a low rate limit, and once in the middle of a run. */
export const limitsMutants: readonly Mutant[] = wrongErrors.flatMap(
  ([id, does, breaks, change]): Mutant[] => [
    {
      ...responds(
        `${id}-on-429`,
        `${does} in 429 responses`,
        breaks.map((part): RequirementId => `error.429.${part}`),
        failing(429, change),
      ),
      seenWith: 'limits',
    },
    {
      id: `${id}-on-one-429`,
      does: `${does} in a single 429 response, and accepts the retry`,
      kills: ['error.429.row'],
      place: 'respond',
      edge: () => refusingOnce(change),
    },
  ],
);
