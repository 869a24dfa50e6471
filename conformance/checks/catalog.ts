import { endpoints } from '@paid-inference/contract/constants';
import { observation } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { given } from '../engine/found.ts';
import { seen } from '../engine/verdict.ts';
import { decodeJson, member } from '../wire/base64-json.ts';
import type { Answered } from '../wire/session.ts';
import { describe, isString } from './judgements.ts';

const { method, path } = endpoints.listModels;

/** What shows of the catalog (contract 1). The list is an extension, which a deployment need not have (D-31). */
export const catalogChecks = [
  observation('catalog.identifiers', 'How many identifiers are listed, and in which form', (context) =>
    given(context.ask({ method, path }), (answered) => {
      const data = dataOf(answered);
      if (!Array.isArray(data)) return seen(`no list: ${method} ${path} was answered ${describe(answered)}`);
      const ids = data.map((entry) => member(entry, 'id'));
      const formed = ids.filter((id) => typeof id === 'string' && /^[^/\s]+\/\S+$/.test(id));
      return seen(`${ids.length} listed, ${formed.length} of the form <provider>/<model_name>`);
    }),
  ),
];

/** The models that the target lists; none where it lists none. */
export async function listedModels(context: Context): Promise<readonly string[]> {
  const answered = await context.ask({ method, path });
  const data = answered.ok && answered.value.outcome.status === 200 ? dataOf(answered.value) : undefined;
  if (!Array.isArray(data)) return [];
  return data.map((entry) => member(entry, 'id')).filter(isString);
}

function dataOf({ outcome }: Answered): unknown {
  const list = decodeJson(Buffer.from(outcome.body));
  return list.ok ? member(list.value, 'data') : undefined;
}
