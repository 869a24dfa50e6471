import type { RequirementId } from '@paid-inference/contract/requirements';
import { failing } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { wrongErrors } from './errors.ts';

/** The 429 (contract 7), of a gateway that takes few requests. */
export const limitsMutants: readonly Mutant[] = wrongErrors.map(([id, does, breaks, change]) => ({
  ...answers(
    `${id}-on-429`,
    `${does} on 429`,
    breaks.map((part): RequirementId => `error.429.${part}`),
    failing(429, change),
  ),
  seenWith: 'limits',
}));
