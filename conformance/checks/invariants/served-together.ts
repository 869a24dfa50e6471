import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { isString, jsonBody, written } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { listedModels } from '../../sources/sources.ts';
import { paymentHeaderOf } from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import { receiptOf } from '../responses/receipt.ts';
import { type Served, servedAnswers } from '../responses/served.ts';
import { namesOfCalls, requestOf } from '../responses/tools.ts';

/** Checks of several paid answers together, or of one beside its request. */
export const servedTogetherChecks = [
  ofAllServed('served.receipt', 'A payment has another transaction than those before it', judgeTransactions),
  ofAllServed('tools.none', 'No answer to `tool_choice` `none` calls a tool', judgeNone),
  ofAllServed(
    'served.model',
    'No answer names another model of the list, nor two models by one name',
    judgeModels,
  ),
];

function ofAllServed(
  requirement: JudgedId,
  title: string,
  judge: (context: Context) => Judgement | Promise<Judgement>,
): Check {
  return closingCheck(requirement, title, (context) =>
    // Paid already, unless a filter leaves nothing else.
    given(served(paidChat(context)), () => judge(context)),
  );
}

/**
 * A transaction names the payments that it settles, so that it cannot settle one that was sent after its hash was told (D-157). Payments
 * of one moment may lawfully share one. Where nothing is asked for, nothing need settle.
 */
function judgeTransactions(context: Context): Judgement {
  const reported = servedAnswers(context).flatMap((one) => {
    const receipt = receiptOf({ answered: one });
    const hash = receipt.ok ? receipt.value['txHash'] : undefined;
    const isHash = isString(hash) && /^0x[0-9a-fA-F]{64}$/.test(hash);
    return isHash && one.authorization.value !== '0' ? [{ one, hash: hash.toLowerCase() }] : [];
  });
  for (const { one, hash } of reported) {
    const sentAtMs = firstSentAtMs(context, one);
    const earlier = reported.find(
      (each) => each.hash === hash && each.one.number < one.number && each.one.endedAtMs <= sentAtMs,
    );
    if (!earlier) continue;
    context.cite([earlier.one, one]);
    return broken(
      'a transaction that settles this payment',
      `${hash}, which answer ${earlier.one.number} named before the payment of answer ${one.number} was sent`,
    );
  }
  return holds(`${reported.length} transactions`);
}

/** A payment may have been sent before, and refused. */
function firstSentAtMs(context: Context, one: Served): number {
  const header = paymentHeaderOf(one);
  const sent = context.transcript().filter((each) => paymentHeaderOf(each) === header);
  return Math.min(one.sentAtMs, ...sent.map(({ sentAtMs }) => sentAtMs));
}

/** The contract does not show the effect of `none` on a model (2.1), hence no MUST (D-158). */
function judgeNone(context: Context): Judgement {
  const answers = servedAnswers(context).filter((one) => member(requestOf(one), 'tool_choice') === 'none');
  const calling = answers.filter((one) => namesOfCalls(one).length > 0);
  context.cite(calling);
  const [first] = calling;
  if (first)
    return broken('no tool calls', `a call of ${written(namesOfCalls(first)[0])} (answer ${first.number})`);
  return answers.length > 0
    ? holds(`${answers.length} answers`)
    : notApplicable('no such request was served');
}

/**
 * An answer may name its model more closely than the catalog does. Another entry of the list, or one name for two models, says that
 * another model answered than was asked (D-159).
 */
async function judgeModels(context: Context): Promise<Judgement> {
  const listed = await listedModels(context);
  if (listed.length === 0) return notApplicable('the target lists no models');
  const askedBy = new Map<string, Served & { readonly asked: string }>();
  const answers = servedAnswers(context);
  for (const one of answers) {
    const asked = member(requestOf(one), 'model');
    const answer = jsonBody(one);
    const named = answer.ok ? answer.value['model'] : undefined;
    // Which types they have is judged elsewhere.
    if (!isString(asked) || !isString(named) || named === asked) continue;
    const other = askedBy.get(named);
    if (listed.includes(named)) {
      context.cite([one]);
      return broken(`the model ${asked}, as was asked for`, `${named} (answer ${one.number})`);
    }
    if (other && other.asked !== asked) {
      context.cite([other, one]);
      const both = `answers ${other.number} and ${one.number}`;
      return broken(`a name of its own for ${asked} and for ${other.asked}`, `${named} for both (${both})`);
    }
    askedBy.set(named, { ...one, asked });
  }
  return holds(`${answers.length} answers`);
}
