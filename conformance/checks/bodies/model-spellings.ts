import type { Check } from '../../context/check.ts';
import { beyondCatalog, bodyFor, type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { listedModels } from '../../sources/sources.ts';
import { notApplicable } from '../../types/verdict.ts';
import { rejects } from './rejects.ts';

/** The number of identifiers in the catalog (§1). */
const catalogSize = 16;

/** Checks of a model in another letter case (§1, D-219). */
export const modelSpellingChecks = paidEndpointNames.map(ofLetterCase);

/** A shorter list may leave out an alias, so only a list of the whole catalog proves that a name is none. */
function ofLetterCase(endpoint: PaidEndpoint): Check {
  const judged = rejects(
    `body.${endpoint}.model.in-catalog`,
    'A `model` in another letter case is not in the catalog',
    {
      endpoint,
      twin: (model: string) => bodyFor(endpoint, model),
      spoils: { '`model` in another letter case': (body) => ({ ...body, model: inOtherCase(body.model) }) },
      // Any refusal of an invalid request will do: §7 names no status for an unknown model.
      statuses: [400, 404, 422],
      beyondSchema: beyondCatalog,
    },
  );
  return {
    ...judged,
    run: async (context) => {
      const listed = await listedModels(context);
      if (listed.length < catalogSize) return notApplicable('the target does not list the whole catalog');
      const other = inOtherCase(context.model);
      if (other === context.model || listed.includes(other) || !listed.includes(context.model)) {
        return notApplicable('the list does not show that another letter case is no entry');
      }
      return judged.run(context);
    },
  };
}

function inOtherCase(model: string): string {
  const upper = model.toUpperCase();
  return upper === model ? model.toLowerCase() : upper;
}
