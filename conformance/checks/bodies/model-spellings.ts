import type { Check } from '../../context/check.ts';
import { beyondCatalog, bodyFor, type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { listedModels } from '../../sources/sources.ts';
import { notApplicable } from '../../types/verdict.ts';
import { refusalsOfModel, rejects } from './rejects.ts';

/** The number of identifiers in the catalog (§1). */
const catalogSize = 16;

/** Spellings that a loose comparison takes for the identifier (D-219, D-434). */
const spellings: Readonly<Record<string, (model: string) => string>> = {
  'in another letter case': inOtherCase,
  'without its provider': nameOf,
  // The quotes break JSON that a program joins from texts.
  'of another provider': (model) => `no-such-"provider"/${nameOf(model)}`,
  'with a suffix': (model) => `${model}:free`,
  'with a line break': (model) => `${model}\n`,
  'without its last character': (model) => model.slice(0, -1),
};

/** Checks of other spellings of a model (§1). */
export const modelSpellingChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(spellings).map(([words, respell]) => ofSpelling(endpoint, words, respell)),
);

/** A shorter list may leave out an alias, so only a list of the whole catalog proves that a name is none. */
function ofSpelling(endpoint: PaidEndpoint, words: string, respell: (model: string) => string): Check {
  const judged = rejects(`body.${endpoint}.model.in-catalog`, `A \`model\` ${words} is not in the catalog`, {
    endpoint,
    twin: (model: string) => bodyFor(endpoint, model),
    spoils: { [`\`model\` ${words}`]: (body) => ({ ...body, model: respell(body.model) }) },
    statuses: refusalsOfModel,
    beyondSchema: beyondCatalog,
  });
  return {
    ...judged,
    run: async (context) => {
      const listed = await listedModels(context);
      if (listed.length < catalogSize) return notApplicable('the target does not list the whole catalog');
      const other = respell(context.model);
      const isProven = other !== '' && !listed.includes(other) && listed.includes(context.model);
      if (!isProven) return notApplicable(`the list does not show that a model ${words} is no entry`);
      return judged.run(context);
    },
  };
}

/** The identifier without `<provider>/`. */
function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

function inOtherCase(model: string): string {
  const upper = model.toUpperCase();
  return upper === model ? model.toLowerCase() : upper;
}
