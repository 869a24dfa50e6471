import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { isName, isString, jsonBody, written } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { listedModels } from '../../sources/sources.ts';
import { readPaymentHeader } from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import { readReceipt } from '../responses/receipt.ts';
import { completionTokens, readTexts } from '../responses/response-rules.ts';
import { type Served, servedResponses } from '../responses/served.ts';
import { namesOfCalls, parseRequest } from '../responses/tools.ts';

/** Checks that compare several paid responses, or a response with its request. */
export const servedTogetherChecks = [
  ofAllServed('served.receipt', 'A payment has another transaction than earlier payments', judgeTransactions),
  ofAllServed('tools.none', 'No response to `tool_choice` `none` calls a tool', judgeNone),
  ofAllServed(
    'served.model',
    'No response names another listed model, or one name for two models',
    judgeModels,
  ),
  ofAllServed('served.stop', 'No text goes on after a stop sequence of its request', judgeStops),
  ofAllServed('chat.max_tokens.respected', 'No chat counts more tokens than its `max_tokens`', (context) =>
    judgeMaximum(context, 'chat'),
  ),
  ofAllServed(
    'completions.max_tokens.respected',
    'No text completion counts more tokens than its `max_tokens`',
    (context) => judgeMaximum(context, 'completions'),
  ),
];

function ofAllServed(
  requirement: JudgedId,
  title: string,
  judge: (context: Context) => Judgement | Promise<Judgement>,
): Check {
  return closingCheck(requirement, title, (context) =>
    // Usually paid before, unless a filter selects only this check.
    given(served(paidChat(context)), () => judge(context)),
  );
}

/**
 * Judges the transactions of receipts. A transaction cannot settle a payment that was sent after its hash was
 * known (D-157). Concurrent payments may share a transaction. A payment of 0 needs no settlement.
 */
function judgeTransactions(context: Context): Judgement {
  const reported = servedResponses(context).flatMap((one) => {
    const receipt = readReceipt({ answered: one });
    const hash = receipt.ok ? receipt.value['txHash'] : undefined;
    const isHash = isString(hash) && /^0x[0-9a-fA-F]{64}$/.test(hash);
    return isHash && one.authorization.value !== '0' ? [{ one, hash: hash.toLowerCase() }] : [];
  });
  for (const { one, hash } of reported) {
    if (hash === one.authorization.nonce.toLowerCase()) {
      context.cite([one]);
      return broken('the hash of a transaction', `the nonce of the payment (request ${one.number})`);
    }
    const sentAtMs = firstSentAtMs(context, one);
    const earlier = reported.find(
      (each) => each.hash === hash && each.one.number < one.number && each.one.endedAtMs <= sentAtMs,
    );
    if (!earlier) continue;
    context.cite([earlier.one, one]);
    return broken(
      'a transaction that settles this payment',
      `${hash}, which response ${earlier.one.number} named before the suite sent payment ${one.number}`,
    );
  }
  return holds(`${reported.length} transactions`);
}

/** The first time that the payment was sent; it may have been refused then. */
function firstSentAtMs(context: Context, one: Served): number {
  const header = readPaymentHeader(one);
  const sent = context.transcript().filter((each) => readPaymentHeader(each) === header);
  return Math.min(one.sentAtMs, ...sent.map(({ sentAtMs }) => sentAtMs));
}

/** The contract does not define the effect of `none` on a model (§2.1), so this is no MUST (D-158). */
function judgeNone(context: Context): Judgement {
  const responses = servedResponses(context).filter(
    (one) => member(parseRequest(one), 'tool_choice') === 'none',
  );
  const calling = responses.filter((one) => namesOfCalls(one).length > 0);
  context.cite(calling);
  const [first] = calling;
  if (first)
    return broken('no tool calls', `a call of ${written(namesOfCalls(first)[0])} (request ${first.number})`);
  return responses.length > 0
    ? holds(`${responses.length} responses`)
    : notApplicable('no request with tool_choice none was served');
}

/**
 * A response may name its model more precisely than the catalog. Another listed model, or one name for two
 * models, shows that another model ran than the requested one (D-159).
 */
async function judgeModels(context: Context): Promise<Judgement> {
  const listed = await listedModels(context);
  if (listed.length === 0) return notApplicable('the target lists no models');
  const askedBy = new Map<string, Served & { readonly asked: string }>();
  const responses = servedResponses(context);
  for (const one of responses) {
    const asked = member(parseRequest(one), 'model');
    const response = jsonBody(one);
    const named = response.ok ? response.value['model'] : undefined;
    // Other checks judge the types of these fields.
    if (!isString(asked) || !isName(named) || named === asked) continue;
    const other = askedBy.get(named);
    if (listed.includes(named)) {
      context.cite([one]);
      return broken(`the requested model ${asked}`, `${named} (request ${one.number})`);
    }
    if (other && other.asked !== asked) {
      context.cite([other, one]);
      const both = `requests ${other.number} and ${one.number}`;
      return broken(`different names for ${asked} and ${other.asked}`, `${named} for both (${both})`);
    }
    askedBy.set(named, { ...one, asked });
  }
  return holds(`${responses.length} responses`);
}

/**
 * The contract does not define the effect of a stop sequence (§2.1), so this is no MUST. A text may end with
 * its sequence, or have it among its first blanks (D-220).
 */
function judgeStops(context: Context): Judgement {
  const stopped = servedResponses(context).flatMap((one) => {
    const stop = member(parseRequest(one), 'stop');
    const sequences = Array.isArray(stop) ? stop.filter(isString).filter((text) => text !== '') : [];
    return sequences.length > 0 ? [{ one, sequences }] : [];
  });
  const wrong = stopped.flatMap(({ one, sequences }) => {
    const sequence = sequences.find((each) => readTexts(one).some((text) => goesOnAfter(text, each)));
    return sequence === undefined ? [] : [{ one, sequence }];
  });
  context.cite(wrong.map(({ one }) => one));
  const [first] = wrong;
  if (first) {
    const { one, sequence } = first;
    return broken(`no text after the stop sequence ${written(sequence)}`, `text (request ${one.number})`);
  }
  return stopped.length > 0
    ? holds(`${stopped.length} responses`)
    : notApplicable('no request with stop sequences was served');
}

/** The contract does not define how tokens are counted (§2.6), so this is no MUST (D-232). */
function judgeMaximum(context: Context, endpoint: PaidEndpoint): Judgement {
  const counted = servedResponses(context).flatMap((one) => {
    const maximum = member(parseRequest(one), 'max_tokens');
    const response = jsonBody(one);
    const count = response.ok ? completionTokens(response.value) : response;
    return one.endpoint === endpoint && typeof maximum === 'number' && count.ok
      ? [{ one, maximum, count: count.value }]
      : [];
  });
  const wrong = counted.filter(({ count, maximum }) => count > maximum);
  context.cite(wrong.map(({ one }) => one));
  const [first] = wrong;
  if (first) {
    const { one, count, maximum } = first;
    return broken(`at most the requested ${maximum}`, `${count} (request ${one.number})`);
  }
  return counted.length > 0
    ? holds(`${counted.length} responses`)
    : notApplicable('no response counts its tokens');
}

function goesOnAfter(text: string, sequence: string): boolean {
  const words = text.trim();
  const at = words.indexOf(sequence);
  return at >= 0 && words.slice(at + sequence.length).trim() !== '';
}
