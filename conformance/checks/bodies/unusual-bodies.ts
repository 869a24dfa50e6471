import { headerNames } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  bodyFor,
  chatBody,
  completionBody,
  type PaidEndpoint,
  paidEndpoints,
  plainText,
  question,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { ofChat, ofText, sizes, type Unusual } from './odd-bodies.ts';

type Headers = Readonly<Record<string, Pick<Ask, 'headers' | 'lacks'>>>;

const form = { 'Content-Type': 'application/x-www-form-urlencoded' } as const;
const ofType = (type: string) => ({ headers: { [headerNames.settlementType]: type } });

/** Headers that §4.1 forbids. A 400 for them has the body of its row, so the closing checks judge it (D-441). */
const otherTypes: Headers = {
  'no Content-Type': { lacks: ['Content-Type'] },
  'the media type of a form': { headers: form },
  'a broken media type': { headers: { 'Content-Type': 'json' } },
};

/** Usual bodies with unusual headers. The contract does not say whether a gateway accepts them. */
const unusualHeaders: Headers = {
  'no User-Agent': { lacks: ['User-Agent'] },
  'an empty X-SETTLEMENT-TYPE': ofType(''),
  'an unknown X-SETTLEMENT-TYPE': ofType('later'),
  'an X-SETTLEMENT-TYPE in capitals': ofType('PRIVATE'),
  'an X-SETTLEMENT-TYPE that begins with a capital': ofType('Individual'),
  'an Authorization without a scheme': { headers: { Authorization: 'secret' } },
  'an empty Authorization': { headers: { Authorization: '' } },
  'the Origin null': { headers: { Origin: 'null' } },
  'a range': { headers: { Range: 'bytes=0-99' } },
  'a broken address in X-Forwarded-For': { headers: { 'X-Forwarded-For': 'unknown, :, 1.2.3' } },
  'a cookie without a value': { headers: { Cookie: 'a; =b; %E0%A4%A' } },
};

/** Checks that malformed or extreme bodies cause neither a completion nor a server fault (§7). */
export const unusualBodyChecks = [
  check(
    'robustness.unusual-bodies',
    'Unusual bodies are never served unpaid and cause no server fault',
    (context) =>
      given(paymentRequired(context, 'chat'), () => judgeAll(context, requestsFor(context.model), 'bodies')),
  ),
  check(
    'robustness.unusual-bodies',
    'A usual body with unusual headers is never served unpaid and causes no server fault',
    (context) =>
      given(paymentRequired(context, 'chat'), () => judgeAll(context, withHeaders(context.model), 'headers')),
  ),
];

type Named = { readonly name: string; readonly endpoint: PaidEndpoint; readonly request: Ask };

async function judgeAll(context: Context, requests: readonly Named[], of: string): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const { name, request, endpoint } of requests) {
    const verdict = await judgeOne(context, name, request, endpoint);
    if (verdict.kind === 'broken') return verdict;
    if (verdict.kind !== 'holds') open ??= verdict;
  }
  return open ?? holds(`${requests.length} ${of}`);
}

/** Reports a fault only if it occurs twice and a plain request still gets 402. */
async function judgeOne(
  context: Context,
  name: string,
  request: Ask,
  endpoint: PaidEndpoint,
): Promise<Judgement> {
  const answered = await context.send(request);
  if (!answered.ok && isUploadRefused(context, request)) return holds();
  if (answered.ok) {
    const passed = judgeTransient(answered.value);
    const { status } = answered.value.outcome;
    if (passed || (status >= 300 && status < 500)) return passed ?? holds();
  }
  const plain: Ask = {
    path: paidEndpoints[endpoint].path,
    body: bodyFor(endpoint, context.model),
    isRandom: true,
  };
  const control = await context.send(plain);
  const isWell = control.ok && control.value.outcome.status === 402;
  if (!answered.ok) return answered.verdict;
  if (!isWell) return unknown(`after ${name}, a plain body no longer got 402`);
  const again = await context.send(request);
  const isAgain = again.ok && again.value.outcome.status === answered.value.outcome.status;
  await context.send(plain);
  const shown = describe(answered.value);
  if (isAgain) return broken('neither 2xx nor 5xx', `${shown} for ${name} (${paidEndpoints[endpoint].path})`);
  return unknown(`${name} got ${shown} once, and another response when the suite sent the body again`);
}

/** Whether the target closed the connection during the upload of a large body, which hides its refusal. */
function isUploadRefused(context: Context, { text = '' }: Ask): boolean {
  const last = context.everything().findLast(({ request }) => request.body === text);
  const hasBrokenOff = last?.outcome.kind === 'failure' && last.outcome.hasBrokenOff === true;
  return hasBrokenOff && text.length > Math.min(...sizes);
}

function withHeaders(model: string): readonly Named[] {
  const request = { path: paidEndpoints.chat.path, body: chatBody(model) };
  const of = (all: Headers, more: Pick<Ask, 'isRandom'>) =>
    Object.entries(all).map(
      ([name, way]): Named => ({
        name,
        endpoint: 'chat',
        request: { ...request, ...way, ...more },
      }),
    );
  return [...of(otherTypes, {}), ...of(unusualHeaders, { isRandom: true })];
}

/** A body of each endpoint as the form that an HTML page sends (D-246). */
function asForms(model: string): readonly Named[] {
  const message = { 'messages[0][role]': question.role, 'messages[0][content]': question.content };
  const of = (endpoint: PaidEndpoint, fields: Readonly<Record<string, string>>): Named => ({
    name: 'a form',
    endpoint,
    request: {
      ...createRequest(endpoint, `${new URLSearchParams({ model, ...fields })}`),
      headers: form,
    },
  });
  return [of('chat', message), of('completions', { prompt: plainText(model).prompt })];
}

function requestsFor(model: string): readonly Named[] {
  const of = (endpoint: PaidEndpoint, body: object, all: readonly Unusual[]) =>
    all.map(([name, write]) => ({
      name,
      endpoint,
      request: createRequest(endpoint, write(JSON.stringify(body))),
    }));
  return [
    ...of('chat', chatBody(model), ofChat),
    ...of('completions', completionBody(model), ofText),
    ...asForms(model),
  ];
}

/** A request with the claim that the contract's schema proves. */
function createRequest(endpoint: PaidEndpoint, text: string): Ask {
  const isValid = endpoint === 'chat' ? ChatCompletionRequest : CompletionRequest;
  const claim = isValid(parsed(text)) ? 'valid' : 'invalid';
  return { path: paidEndpoints[endpoint].path, text, claim, isRandom: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
