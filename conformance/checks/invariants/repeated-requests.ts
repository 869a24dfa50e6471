import { closingCheck } from '../../context/check.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { listedModels, paymentRequired } from '../../sources/sources.ts';
import { listResponses, type Past, readPaymentHeader, unreported } from '../../sources/transcript-queries.ts';
import { broken, holds } from '../../types/verdict.ts';
import { decodeJson, member } from '../../wire/base64-json.ts';

/** A single wrong response may be a fault of the network. */
const wrongMin = 2;

/**
 * The suite sends many unpaid requests more than once: first on a connection, beside others, and after faults. A request
 * that got 402 must get it each time (§4.1, D-446).
 */
export const repeatedRequestChecks = [
  closingCheck('conditions.unpaid', 'An unpaid request that got 402 gets 402 each time', async (context) => {
    const usual = await paymentRequired(context, 'chat');
    if (!usual.ok) return usual.verdict;
    const models = new Set<unknown>([context.model, ...(await listedModels(context))]);
    const asked = listResponses(context).filter((past) => isValid(past, models));
    const repeated = Map.groupBy(asked, identify).values();
    const changing = [...repeated].filter((all) => all.some(({ outcome }) => outcome.status === 402)).flat();
    const wrong = unreported(context, changing.filter(isWrong));
    if (wrong.length < wrongMin) return holds(`${changing.length} responses`);
    context.cite(wrong);
    const [first] = wrong;
    const example = first ? `, first ${describe(first)} for request ${first.number}` : '';
    return broken('402, as before or after', `${wrong.length} other responses${example}`);
  }),
];

/** A gateway may check a payment before the body, or after it, so an invalid body may get 402 or not (D-122). */
function isValid(past: Past, models: ReadonlySet<unknown>): boolean {
  const { isProvenInvalid, isOnlyObserved, body } = past.request;
  const isUnpaid = readPaymentHeader(past) === undefined;
  const read = decodeJson(Buffer.from(body ?? ''));
  return (
    isUnpaid && !isProvenInvalid && !isOnlyObserved && read.ok && models.has(member(read.value, 'model'))
  );
}

/** Other checks judge a response of 200. */
function isWrong(past: Past): boolean {
  const { status } = past.outcome;
  return status !== 402 && status !== 200 && judgeTransient(past) === undefined;
}

function identify({ request: { url, method, headers, body } }: Past): string {
  return JSON.stringify([url, method, Object.entries(headers).toSorted(), body]);
}
