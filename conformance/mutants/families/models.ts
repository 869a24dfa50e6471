import type { Mutant } from '../mutant.ts';
import { anyModel } from './bodies.ts';

/** Other texts than identifiers that a mutant finds in its catalog (contract 1). */
const foundModels: readonly (readonly [id: string, words: string, isFound: (model: unknown) => boolean])[] = [
  ['constructor', 'a name that every object has', (model) => model === 'constructor'],
  ['prototype', '`__proto__`', (model) => model === '__proto__'],
  ['blanks', 'an identifier between blanks', (model) => typeof model === 'string' && model.trim() !== model],
];

/** Comparisons that take another text for an identifier of the catalog. */
const looseModels: readonly (readonly [
  id: string,
  words: string,
  isTaken: (model: string, known: string) => boolean,
])[] = [
  ['in-another-case', 'in another letter case', (model) => model !== model.toLowerCase()],
  ['without-provider', 'without its provider', (model, known) => known.endsWith(`/${model}`)],
  [
    'of-another-provider',
    'of another provider',
    (model, known) => model !== known && known.split('/')[1] === model.split('/')[1],
  ],
  ['with-a-suffix', 'with a suffix', (model, known) => model.startsWith(`${known}:`)],
  ['with-a-line-break', 'with a line break', (model, known) => model === `${known}\n`],
  [
    'cut-short',
    'that is the start of an identifier',
    (model, known) => model !== '' && model !== known && known.startsWith(model),
  ],
];

/** Only a list of 16 models proves that another spelling is no identifier. */
export const looseModelMutants: readonly Mutant[] = (['chat', 'completions'] as const).flatMap((endpoint) =>
  looseModels.map(([id, words, isTaken]) =>
    anyModel(
      `takes-${endpoint}-model-${id}`,
      `accepts a \`model\` ${words} (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      (model, known) => typeof model === 'string' && typeof known === 'string' && isTaken(model, known),
    ),
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
