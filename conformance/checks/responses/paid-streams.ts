import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { type Paid, pay } from '../../sources/paid-source.ts';
import { isAboutFunds } from '../../sources/throwaway-source.ts';
import { isReported, listResponses, type Past, readPayment } from '../../sources/transcript-queries.ts';
import { type Found, found, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import { offeredStream, payForStream, streamedBody } from './streams.ts';
import { parseRequest } from './tools.ts';

/** Refusals of a payment, and of the path of a request that just got an offer. */
const wrongRefusals = new Set([401, 402, 404, 405]);
/** A gateway may check the payment first, and then name a feature that it lacks. */
const notImplemented = 501;

/**
 * Checks that a good payment for a stream is not refused as a payment, and causes no server fault (§3, D-453). The target may
 * refuse the body with another status (D-203).
 */
export const paidStreamChecks = paidEndpointNames.map((endpoint) =>
  check(
    'conditions.paid',
    `A payment for a stream is accepted, or its body refused (${endpoint})`,
    (context) => judgePayments(context, endpoint),
  ),
);

async function judgePayments(context: Context, endpoint: PaidEndpoint): Promise<Judgement> {
  const offered = await offeredStream(context, endpoint);
  if (!offered.ok) return offered.verdict;
  const first = readResponse(context, endpoint, await context.once(payForStream[endpoint]));
  if (!first.ok) return first.verdict;
  if (!isWrong(first.value)) return judgeOther(first.value);
  // Each further payment may be charged.
  if (isReported(context, 'conditions.paid')) return notApplicable('another check reports this');
  // A single wrong response may be a fault of the network.
  const again = await pay(context, endpoint, streamedBody(context, endpoint));
  const second = readResponse(context, endpoint, again);
  if (!second.ok) return second.verdict;
  if (!isWrong(second.value)) return judgeOther(second.value);
  // The target may serve no payment any more, or the payer may be too poor.
  const control = await pay(context, endpoint, bodyFor(endpoint, context.model));
  if (!control.ok) return control.verdict;
  const { payment, answered } = control.value;
  const isAsDear = BigInt(payment.authorization.value) >= readUnits(second.value);
  if (answered.outcome.status !== 200 || !isAsDear) {
    return unknown(
      `a payment for a stream got ${describe(second.value)}, and no payment as high was served later`,
    );
  }
  return broken(
    'status 200, or a refusal of the body',
    `${describe(second.value)} after an offer (requests ${first.value.number} and ${second.value.number})`,
  );
}

/** The last response to a payment for a stream, which may say that the balance is too low. */
function readResponse(context: Context, endpoint: PaidEndpoint, paid: Found<Paid>): Found<Past> {
  const last = listResponses(context).findLast((past) => {
    const isStream = past.endpoint === endpoint && member(parseRequest(past), 'stream') === true;
    return isStream && readPayment(past)?.authorization.from === context.budget?.payer;
  });
  if (last === undefined) return missing('no payment for a stream got a response');
  return paid.ok || isAboutFunds(last) ? found(last) : paid;
}

function readUnits(past: Past): bigint {
  return BigInt(readPayment(past)?.authorization.value ?? 0);
}

function isWrong(past: Past): boolean {
  const { status } = past.outcome;
  if (judgeTransient(past) || status === notImplemented) return false;
  return (status < 400 && status !== 200) || status >= 500 || wrongRefusals.has(status);
}

/** Other checks judge the responses of 200. */
function judgeOther(past: Past): Judgement {
  if (past.outcome.status === 200) return holds();
  return judgeTransient(past) ?? notApplicable(`the paid request got ${describe(past)}`);
}
