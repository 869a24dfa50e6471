import { headerNames } from '@paid-inference/contract/constants';
import { check, closingCheck, observation } from '../../context/check.ts';
import { paidEndpointNames } from '../../sources/bodies.ts';
import { describe, hasStatus, jsonBody, written } from '../../sources/judgements.ts';
import { offerHeader, paymentRequired, unpaid } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen, type Unknown, unknown } from '../../types/verdict.ts';
import { decodeBase64, decodeJson, isObject } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { servedUnpaid } from './served-unpaid.ts';

/** Checks of the unpaid request and its 402 (§3, §4.1, §4.2). */
export const unpaidChecks = [
  check('unpaid.chat.402', 'A chat request without payment gets 402', (context) =>
    given(unpaid(context, 'chat'), (answered) => hasStatus(answered, 402)),
  ),
  check('unpaid.completions.402', 'A text request without payment gets 402', (context) =>
    given(unpaid(context, 'completions'), (answered) => hasStatus(answered, 402)),
  ),
  ...paidEndpointNames.map((endpoint) =>
    check(
      'unpaid.no-api-key',
      `The target requires no account, API key or bearer token (${endpoint})`,
      (context) => given(unpaid(context, endpoint), judgeCredentials),
    ),
  ),
  closingCheck('unpaid.never-200', 'Nothing is served without payment', async (context) => {
    const asked = await unpaid(context, 'chat');
    if (!asked.ok) return asked.verdict;
    const completions = await unpaid(context, 'completions');
    if (!completions.ok) return completions.verdict;
    const served = servedUnpaid(context);
    context.cite(served);
    const [first] = served;
    if (first) {
      const count = served.length === 1 ? 'an unpaid request was' : `${served.length} unpaid requests were`;
      return broken('no success without payment', `${count} served (first: request ${first.number})`);
    }
    // A target that never returns 402 proves nothing by serving nothing.
    const silent = [asked.value, completions.value].find(({ outcome }) => outcome.status !== 402);
    return silent ? paymentRequiredMissing(silent) : holds();
  }),

  ...paidEndpointNames.flatMap((endpoint) => [
    check(
      'unpaid.402.header-present',
      `The 402 has the header ${headerNames.paymentRequired} (${endpoint})`,
      (context) => given(paymentRequired(context, endpoint), judgeHeader),
    ),
    check('unpaid.402.header-base64', `${headerNames.paymentRequired} is base64 (${endpoint})`, (context) =>
      given(paymentRequired(context, endpoint), judgeBase64),
    ),
    check(
      'unpaid.402.header-object',
      `${headerNames.paymentRequired} decodes to a JSON object (${endpoint})`,
      (context) => given(paymentRequired(context, endpoint), judgeObject),
    ),
  ]),

  observation('unpaid.402.content-type', 'Content-Type of the 402', (context) =>
    given(paymentRequired(context, 'chat'), ({ outcome }) =>
      seen(`${outcome.headers.get('content-type') ?? 'no content type'}, ${outcome.body.length} characters`),
    ),
  ),
  observation('unpaid.402.body', 'Body of the 402', (context) =>
    given(paymentRequired(context, 'chat'), (answered) => seen(describeBody(answered))),
  ),
];

/** Authentication schemes for an account or a token. Other schemes, such as one for payments, are allowed. */
const credentialSchemes = /(^|,)\s*(basic|bearer|digest)(\s|,|$)/i;

function judgeCredentials(answered: Answered): Judgement {
  const { status, headers } = answered.outcome;
  // A quoted parameter of a scheme may have any text.
  const challenges = (headers.get('www-authenticate') ?? '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const asksForCredentials = credentialSchemes.test(challenges);
  if (status === 401 || status === 403 || asksForCredentials) {
    return broken('no request for credentials', describe(answered));
  }
  // Another response than 402 does not show whether the target needs credentials.
  return status === 402 ? holds() : paymentRequiredMissing(answered);
}

function judgeHeader(answered: Answered): Judgement {
  if (offerHeader(answered).ok) return holds();
  return broken(`the header ${headerNames.paymentRequired}`, 'no such header');
}

function judgeBase64(answered: Answered): Judgement {
  const text = offerHeader(answered);
  if (!text.ok) return text.verdict;
  const bytes = decodeBase64(text.value);
  if (bytes.ok) return holds();
  return broken('standard base64', `${written(text.value)}: ${bytes.verdict.reason}`);
}

function judgeObject(answered: Answered): Judgement {
  const text = offerHeader(answered);
  if (!text.ok) return text.verdict;
  const bytes = decodeBase64(text.value);
  if (!bytes.ok) return bytes.verdict;
  const value = decodeJson(bytes.value);
  if (!value.ok) return broken('a JSON object', value.verdict.reason);
  return isObject(value.value) ? holds() : broken('a JSON object', written(value.value));
}

function describeBody(answered: Answered): string {
  if (answered.outcome.body === '') return 'an empty body';
  const body = jsonBody(answered);
  if (!body.ok) return 'no JSON object';
  const names = Object.keys(body.value);
  return names.length === 0 ? 'an empty JSON object' : `a JSON object with ${names.join(', ')}`;
}

function paymentRequiredMissing(answered: Answered): Unknown {
  return unknown(`the unpaid request ${answered.number} got ${describe(answered)}, not 402`);
}
