import type { Mutant } from '../mutant.ts';
import { anyModel } from './bodies.ts';

/** Other texts than identifiers that a mutant finds in its catalog (contract 1). */
const foundModels: readonly (readonly [id: string, words: string, isFound: (model: unknown) => boolean])[] = [
  ['constructor', 'a name that every object has', (model) => model === 'constructor'],
  ['prototype', '`__proto__`', (model) => model === '__proto__'],
  ['blanks', 'an identifier between blanks', (model) => typeof model === 'string' && model.trim() !== model],
];

/** Only a list of 16 models proves that another letter case is no identifier. */
export const letterCaseModelMutants: readonly Mutant[] = (['chat', 'completions'] as const).map((endpoint) =>
  anyModel(
    `takes-${endpoint}-model-in-another-case`,
    `accepts a \`model\` in another letter case (${endpoint})`,
    `body.${endpoint}.model.in-catalog`,
    endpoint,
    (model) => typeof model === 'string' && model !== model.toLowerCase(),
  ),
);

/** Mutants that sell a model that is no identifier (contract 1). */
export const modelMutants: readonly Mutant[] = (['chat', 'completions'] as const).flatMap((endpoint) =>
  foundModels.map(([id, words, isFound]) =>
    anyModel(
      `takes-${endpoint}-model-of-${id}`,
      `accepts ${words} as \`model\` (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      isFound,
    ),
  ),
);
