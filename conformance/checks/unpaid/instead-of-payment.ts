import { chainId, headerNames, network } from '@paid-inference/contract/constants';
import { issueAfter } from '../../conditions/send.ts';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  bodyFor,
  forwardedHost,
  type PaidEndpoint,
  paidEndpointNames,
  paidEndpoints,
} from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import type { Found } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { encodeBase64Json } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { jsonText } from '../../wire/json-text.ts';
import { isServed } from './served-unpaid.ts';

/** Additions to a request that are no payment. */
type Extra = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  /** Changes the spelling of the endpoint's path. */
  readonly path?: (path: string) => string;
  readonly method?: 'PUT' | 'PATCH' | 'GET';
};
export type Extras = Readonly<Record<string, Extra>>;

const key = 'sk-conformance-0123456789abcdef0123456789abcdef';
const jsonWebToken = `${base64Url({ alg: 'none', typ: 'JWT' })}.${base64Url({ sub: 'tester', role: 'admin' })}.`;
const sender = `0x${'11'.repeat(20)}`;
const madeUpReceipt = encodeBase64Json({
  success: true,
  network,
  chainId,
  txHash: `0x${'22'.repeat(32)}`,
  payer: sender,
});
const madeUpPayment = encodeBase64Json({
  payload: {
    signature: `0x${'5a'.repeat(64)}1b`,
    authorization: {
      from: sender,
      to: sender,
      value: '1',
      validAfter: 0,
      validBefore: 4_000_000_000,
      nonce: `0x${'33'.repeat(32)}`,
    },
  },
});

/** Credentials; the interface has none (§5). */
const credentials: Readonly<Record<string, Extras>> = {
  'an API key': {
    'a bearer token': { headers: { Authorization: `Bearer ${key}` } },
    'X-API-Key': { headers: { 'X-API-Key': key } },
    'api-key': { headers: { 'api-key': key } },
    'X-Auth-Token': { headers: { 'X-Auth-Token': key } },
    'a cookie': { headers: { Cookie: `session=${key}; token=${key}; api_key=${key}` } },
    'an organization': { headers: { 'OpenAI-Organization': 'org-tester', 'OpenAI-Project': 'proj_tester' } },
    'a query': { query: `api_key=${key}&key=${key}&token=${key}&access_token=${key}` },
  },
  'a name and password': {
    'a name and password': { headers: { Authorization: `Basic ${btoa('admin:admin')}` } },
    'members of the body': { members: { api_key: key, user: 'admin' } },
  },
  'a key of another scheme': {
    'the scheme Token': { headers: { Authorization: `Token ${key}` } },
    'the scheme ApiKey': { headers: { Authorization: `ApiKey ${key}` } },
    'no scheme': { headers: { Authorization: key } },
  },
  'a JSON Web Token': {
    'a bearer token': { headers: { Authorization: `Bearer ${jsonWebToken}` } },
    'an access token of a proxy': { headers: { 'Proxy-Authorization': `Basic ${btoa('admin:admin')}` } },
  },
};

/** Headers and members that resemble a payment or a privileged caller. */
const pretexts: Readonly<Record<string, Extras>> = {
  'a receipt, or a payment in another header,': {
    'a made-up receipt': { headers: { [headerNames.paymentResponse]: madeUpReceipt } },
    ...Object.fromEntries(
      ['Payment-Signature', 'Payment', 'X-Payment-Signature', 'X-Payment-Token', 'X_PAYMENT'].map(
        (name): [string, Extra] => [name, { headers: { [name]: madeUpPayment } }],
      ),
    ),
    'the address of a payer': {
      headers: { 'X-Wallet-Address': sender, 'X-Payer': sender, 'X-User-Address': sender },
    },
    'members of the body': { members: { payment: madeUpPayment, paid: true } },
  },
  'an X-PAYMENT without payment': Object.fromEntries(
    ['', 'test', 'free', 'none', 'null', 'true'].map((word): [string, Extra] => [
      word === '' ? 'an empty value' : `the word ${word}`,
      { headers: { [headerNames.payment]: word } },
    ]),
  ),
  'headers of an internal caller': {
    'a local address': {
      headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
    },
    'a header for operators': {
      headers: { 'X-Internal': 'true', 'X-Admin': 'true', 'X-Debug': 'true', 'X-Test': 'true' },
    },
    'the name of a probe': { headers: { 'User-Agent': 'kube-probe/1.30' } },
  },
  'headers of another client': {
    'a local web page': { headers: { Origin: 'http://localhost', Referer: 'http://localhost/' } },
    'an idempotency key': {
      headers: { 'Idempotency-Key': '6f1b2c1e-0000-4000-8000-000000000001', 'X-Request-Id': 'tester' },
    },
    'a trace': { headers: { traceparent: `00-${'5a'.repeat(16)}-${'5a'.repeat(8)}-01` } },
    'a charset': { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    // JSON stays acceptable, so that the request does not ask for another format.
    'a request for a stream': { headers: { Accept: 'application/json, text/event-stream' } },
  },
  'headers of a browser or a proxy': {
    // JSON stays the preferred type.
    'a browser': {
      headers: {
        Accept: 'application/json, text/html;q=0.1',
        'Sec-Fetch-Site': 'same-origin',
        'Upgrade-Insecure-Requests': '1',
        'X-Requested-With': 'XMLHttpRequest',
        DNT: '1',
      },
    },
    'a cache': {
      headers: {
        'Cache-Control': 'no-cache',
        'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT',
        'If-None-Match': '"tester"',
        Range: 'bytes=0-99',
      },
    },
    'a local address behind a proxy': {
      headers: {
        'CF-Connecting-IP': '127.0.0.1',
        'True-Client-IP': '127.0.0.1',
        [forwardedHost]: 'localhost',
        // The path of a paid endpoint, so that a gateway that follows this header must also ask for payment.
        'X-Original-URL': paidEndpoints.chat.path,
      },
    },
    'preferences of a client': {
      headers: { Prefer: 'return=minimal', TE: 'trailers', [headerNames.paymentRequired]: 'false' },
    },
  },
  'another method': { PUT: { method: 'PUT' } },
  'another spelling of the path': {
    'a slash at the end': { path: (path) => `${path}/` },
    'two slashes': { path: (path) => path.replace('/v1/', '/v1//') },
    capitals: { path: (path) => path.toUpperCase() },
  },
};

/** Behaviour that should be the same for both endpoints, so only chat is tested (D-169). */
const pretextsOfChat: Readonly<Record<string, Extras>> = {
  'a further method': {
    PATCH: { method: 'PATCH' },
    'GET with a body': { method: 'GET' },
    'POST that says it is a GET': { headers: { 'X-HTTP-Method-Override': 'GET' } },
  },
  'a further spelling of the path': {
    'no version': { path: (path) => path.replace('/v1/', '/') },
    'another version': { path: (path) => path.replace('/v1/', '/v2/') },
    'a prefix': { path: (path) => `/api${path}` },
    'a parameter': { path: (path) => `${path};x` },
    'the name of a file': { path: (path) => `${path}.json` },
    'an escaped letter': { path: (path) => path.replace('completions', '%63ompletions') },
  },
};

/**
 * Checks of unpaid requests with additions. A 402 passes, and so does any refusal, because a gateway may reject
 * unknown headers, queries or members. Only a completion fails.
 */
export const insteadOfPaymentChecks: readonly Check[] = paidEndpointNames.flatMap((endpoint) => [
  ...Object.entries(credentials).map(([words, extras]) =>
    notServed('unpaid.no-api-key', words, endpoint, extras),
  ),
  ...Object.entries(endpoint === 'chat' ? { ...pretexts, ...pretextsOfChat } : pretexts).map(
    ([words, extras]) => notServed('unpaid.never-200', words, endpoint, extras),
  ),
]);

function notServed(requirement: JudgedId, words: string, endpoint: PaidEndpoint, extras: Extras): Check {
  const title = `A request with ${words} is not served without payment (${endpoint})`;
  return check(requirement, title, async (context) => {
    // A gateway that returns no 402 fails other checks.
    const plain = await paymentRequired(context, endpoint);
    if (!plain.ok) return plain.verdict;
    return judgeExtras(context, endpoint, extras, words);
  });
}

/** Judges a request with all additions together, and with each by itself if the target refuses one of them. */
export async function judgeExtras(
  context: Context,
  endpoint: PaidEndpoint,
  extras: Extras,
  words: string,
): Promise<Judgement> {
  if (areOnlyAlone(Object.values(extras))) return judgeEach(context, endpoint, extras);
  const together = await send(context, endpoint, merged(Object.values(extras)));
  if (!together.ok) return together.verdict;
  if (together.value.outcome.status === 402 || isServed(context, together.value)) {
    return judgeServed(context, together.value, words);
  }
  // One addition was refused, which may hide the effect of the others, so each is sent by itself.
  return judgeEach(context, endpoint, extras);
}

async function judgeEach(context: Context, endpoint: PaidEndpoint, extras: Extras): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const [name, extra] of Object.entries(extras)) {
    const answered = await send(context, endpoint, extra);
    if (!answered.ok) return answered.verdict;
    const verdict = judgeServed(context, answered.value, name);
    if (verdict.kind === 'broken') return verdict;
    const issue = await issueAfter(context, answered.value);
    if (issue !== undefined) return unknown(issue);
    open ??= passing(answered.value);
  }
  return open ?? holds();
}

function judgeServed(context: Context, answered: Answered, words: string): Judgement {
  return isServed(context, answered)
    ? broken('no success without payment', `${describe(answered)} for a request with ${words}`)
    : holds();
}

/** Whether the additions cannot share one request, because headers repeat or path or method differ. */
function areOnlyAlone(extras: readonly Extra[]): boolean {
  const headers = extras.flatMap((extra) => Object.keys(extra.headers ?? {}));
  const isElsewhere = extras.some(({ path, method }) => path !== undefined || method !== undefined);
  return isElsewhere || new Set(headers).size < headers.length;
}

function merged(extras: readonly Extra[]): Extra {
  const queries = extras.flatMap(({ query }) => query ?? []);
  return {
    headers: Object.assign({}, ...extras.map(({ headers }) => headers)),
    members: Object.assign({}, ...extras.map(({ members }) => members)),
    ...(queries.length > 0 && { query: queries.join('&') }),
  };
}

function send(context: Context, endpoint: PaidEndpoint, extra: Extra): Promise<Found<Answered>> {
  const { headers, query, members, path: spelled = (path) => path, method } = extra;
  const path = spelled(paidEndpoints[endpoint].path);
  const ask: Ask = {
    path: query === undefined ? path : `${path}?${query}`,
    body: { ...bodyFor(endpoint, context.model), ...members },
    ...(headers && { headers }),
    ...(method && { method }),
  };
  return context.ask(ask);
}

function base64Url(value: unknown): string {
  return Buffer.from(jsonText(value)).toString('base64url');
}
