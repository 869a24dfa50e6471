import { endpoints } from '@paid-inference/contract/constants';
import { observation } from '../../context/check.ts';
import { describe } from '../../sources/judgements.ts';
import { parseModelList } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { seen } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';

const { method, path } = endpoints.listModels;

/** What shows of the catalog (contract 1). The list is an extension, which a deployment need not have (D-31). */
export const catalogChecks = [
  observation('catalog.identifiers', 'How many identifiers are listed, and in which form', (context) =>
    given(context.ask({ method, path }), (answered) => {
      const data = parseModelList(answered);
      if (!Array.isArray(data)) return seen(`no list: ${method} ${path} was answered ${describe(answered)}`);
      const ids = data.map((entry) => member(entry, 'id'));
      const formed = ids.filter((id) => typeof id === 'string' && /^[^/\s]+\/\S+$/.test(id));
      return seen(`${ids.length} listed, ${formed.length} of the form <provider>/<model_name>`);
    }),
  ),
];
