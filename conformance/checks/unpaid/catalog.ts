import { endpoints } from '@paid-inference/contract/constants';
import { observation } from '../../context/check.ts';
import { describe } from '../../sources/judgements.ts';
import { identifierPattern, parseModelList } from '../../sources/sources.ts';
import { seen } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';

const { method, path } = endpoints.listModels;

/** Observes the catalog (§1). The list of models is an extension that a deployment may lack (D-31). */
export const catalogChecks = [
  observation('catalog.identifiers', 'Number and form of the listed identifiers', async (context) => {
    const answered = await context.ask({ method, path });
    if (!answered.ok) return answered.verdict;
    const data = parseModelList(answered.value);
    if (!Array.isArray(data)) return seen(`no list: ${method} ${path} got ${describe(answered.value)}`);
    const ids = data.map((entry) => member(entry, 'id'));
    const formed = ids.filter((id) => typeof id === 'string' && identifierPattern.test(id));
    return seen(`${ids.length} listed, ${formed.length} of the form <provider>/<model_name>`);
  }),
];
