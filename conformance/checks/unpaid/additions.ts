import { chainId, headerNames, network } from '@paid-inference/contract/constants';
import { paidEndpoints } from '../../sources/bodies.ts';
import { commonMembers, demandingMembers } from '../../sources/common-members.ts';
import { encodeBase64Json } from '../../wire/base64-json.ts';
import { jsonText } from '../../wire/json-text.ts';
import { otherInterfaces } from './other-interfaces.ts';

/** Additions to a request that are no payment. */
export type Extra = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  /** Adds headers of a page that the target itself serves. */
  readonly isFromOwnPage?: true;
  /** Changes the spelling of the endpoint's path. */
  readonly path?: (path: string) => string;
  readonly method?: 'PUT' | 'PATCH' | 'GET' | 'DELETE';
  /** Closing checks skip the refusal, because the contract does not define it. */
  readonly isRandom?: true;
};
export type Extras = Readonly<Record<string, Extra>>;

const key = 'sk-conformance-0123456789abcdef0123456789abcdef';
const jsonWebToken = `${base64Url({ alg: 'none', typ: 'JWT' })}.${base64Url({ sub: 'tester', role: 'admin' })}.`;
const sender = `0x${'11'.repeat(20)}`;
/** Members that ask for a completion as a trial. */
const trial = { dry_run: true, preview: true, test: true, free: true, debug: true };
/** Headers that clients, their libraries and proxies add. None of them asks for another response (D-420). */
const clientHeaders = {
  'Accept-Charset': 'utf-8',
  'Accept-Language': 'en',
  'Content-Language': 'en',
  'If-None-Match': '"tester"',
  'Keep-Alive': 'timeout=5',
  'Max-Forwards': '10',
  'OpenAI-Beta': 'assistants=v2',
  'Proxy-Connection': 'keep-alive',
  'Save-Data': 'on',
  'Sec-CH-UA': '"tester"',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Mode': 'cors',
  'Sec-GPC': '1',
  'Signature-Input': 'tester=()',
  'X-Amzn-Trace-Id': 'Root=1-5a5a5a5a-5a5a5a5a5a5a5a5a5a5a5a5a',
  'X-B3-TraceId': '5a'.repeat(16),
  'X-CSRF-Token': 'tester',
  'X-Client-Version': '1.0',
  'X-Correlation-Id': 'tester',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
  'X-PAYMENT-VERSION': '2',
  'X-Session-Id': 'tester',
  'X-Stainless-Lang': 'js',
  'X-Tenant-Id': 'tester',
  'X-Title': 'tester',
  baggage: 'tester=1',
  From: 'tester@example.com',
  Pragma: 'no-cache',
  Priority: 'u=1',
  tracestate: 'tester=1',
  Via: '1.1 tester',
} as const;
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
export const credentials: Readonly<Record<string, Extras>> = {
  'an API key': {
    'a bearer token': { headers: { Authorization: `Bearer ${key}` } },
    'X-API-Key': { headers: { 'X-API-Key': key } },
    'api-key': { headers: { 'api-key': key } },
    'X-Auth-Token': { headers: { 'X-Auth-Token': key } },
    'a key of a proxy': { headers: { apikey: key, 'x-litellm-api-key': key } },
    'a key of a cloud': { headers: { 'x-goog-api-key': key, 'Ocp-Apim-Subscription-Key': key } },
    'X-Access-Token': { headers: { 'X-Access-Token': key } },
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

/** Schemes of `Authorization` that sign a request; both endpoints should be alike (D-216). */
export const credentialsOfChat: Readonly<Record<string, Extras>> = {
  'an Authorization of another protocol': {
    'the scheme Digest': {
      headers: { Authorization: `Digest username="admin", response="${'5a'.repeat(16)}"` },
    },
    'the scheme AWS4-HMAC-SHA256': {
      headers: {
        Authorization: `AWS4-HMAC-SHA256 Credential=tester/20260101/any/any/aws4_request, SignedHeaders=host, Signature=${'5a'.repeat(32)}`,
      },
    },
  },
};

/** Headers and members that resemble a payment or a privileged caller. */
export const pretexts: Readonly<Record<string, Extras>> = {
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
    'members of the body': { members: { payment: madeUpPayment, paid: true, ...trial } },
    'the scheme x402': { headers: { Authorization: `x402 ${madeUpPayment}` } },
    'the name of a collector': { headers: { 'User-Agent': 'Prometheus/2.53.0' } },
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
    'the name of a user': {
      headers: { 'X-Forwarded-User': 'admin', 'X-Remote-User': 'admin', 'X-User-Id': '1' },
    },
    'a certificate that a proxy has checked': { headers: { 'X-SSL-Client-Verify': 'SUCCESS' } },
    'the mark of a proxy': { headers: { 'X-Envoy-Internal': 'true' } },
    'a query': { query: 'debug=true&free=true&stream=true' },
  },
  'headers of another client': {
    'a local web page': { headers: { Origin: 'http://localhost', Referer: 'http://localhost/' } },
    'an idempotency key': {
      headers: { 'Idempotency-Key': '6f1b2c1e-0000-4000-8000-000000000001', 'X-Request-Id': 'tester' },
    },
    // OpenAI's libraries send it when they repeat a request.
    'the number of a repetition': { headers: { 'x-stainless-retry-count': '1' } },
    'a trace': { headers: { traceparent: `00-${'5a'.repeat(16)}-${'5a'.repeat(8)}-01` } },
    'a charset': { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    'the scheme L402': { headers: { Authorization: `L402 ${btoa('tester')}:${'5a'.repeat(32)}` } },
    'the name of a health check': { headers: { 'User-Agent': 'GoogleHC/1.0' } },
    // JSON stays acceptable, so that the request does not ask for another format.
    'a request for a stream': { headers: { Accept: 'application/json, text/event-stream' } },
  },
  'headers of a browser or a proxy': {
    // JSON stays the preferred type.
    'a browser': {
      isFromOwnPage: true,
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
        'X-Forwarded-Host': 'localhost',
        // The path of a paid endpoint, so that a gateway that follows this header must also ask for payment.
        'X-Original-URL': paidEndpoints.chat.path,
      },
    },
    'an address of a private network': { headers: { 'X-Forwarded-For': '10.0.0.7' } },
    'the name of a load balancer': { headers: { 'User-Agent': 'ELB-HealthChecker/2.0' } },
    'preferences of a client': {
      headers: {
        Prefer: 'return=minimal',
        TE: 'trailers',
        Expect: '100-continue',
        [headerNames.paymentRequired]: 'false',
      },
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
export const pretextsOfChat: Readonly<Record<string, Extras>> = {
  'a further method': {
    PATCH: { method: 'PATCH' },
    'GET with a body': { method: 'GET' },
    'POST that says it is a GET': { headers: { 'X-HTTP-Method-Override': 'GET' } },
    DELETE: { method: 'DELETE' },
    'GET with a query': {
      method: 'GET',
      path: () => `${paidEndpoints.completions.path}?prompt=One%2C%20two%2C%20three%2C`,
    },
  },
  'members of a common interface': asMembers(commonMembers),
  'members that ask for more than a text': asMembers(demandingMembers),
  'further headers of clients and proxies': Object.fromEntries(
    Object.entries(clientHeaders).map(([name, value]): [string, Extra] => [
      name,
      { headers: { [name]: value } },
    ]),
  ),
  'the name of a library': Object.fromEntries(
    ['OpenAI/JS 6.9.1', 'OpenAI/Python 2.8.0', 'python-requests/2.32.5', 'node'].map(
      (name): [string, Extra] => [`the name ${name}`, { headers: { 'User-Agent': name } }],
    ),
  ),
  'a further spelling of the path': {
    'no version': { path: (path) => path.replace('/v1/', '/') },
    'another version': { path: (path) => path.replace('/v1/', '/v2/') },
    'a prefix': { path: (path) => `/api${path}` },
    'a parameter': { path: (path) => `${path};x` },
    'a further segment': { path: (path) => `${path}/x` },
    'the name of a file': { path: (path) => `${path}.json` },
    'an escaped letter': { path: (path) => path.replace('completions', '%63ompletions') },
    'two slashes at the start': { path: (path) => `/${path}` },
  },
  // Each has the members that such an interface requires, beside those of a chat.
  'the path of another interface': Object.fromEntries(
    Object.entries(otherInterfaces).map(([path, members]): [string, Extra] => [
      path,
      { path: () => path, members },
    ]),
  ),
};

/** Contents of `X-PAYMENT` that resemble a proof of an earlier payment, but that no key has signed (§2.10). */
export function withoutSignature(offer: string): Extras {
  const contents = {
    'the hash of a transaction': `0x${'22'.repeat(32)}`,
    'a made-up receipt': madeUpReceipt,
    'the offer': offer,
    'a bearer token': `Bearer ${key}`,
  };
  return Object.fromEntries(
    Object.entries(contents).map(([words, content]) => [
      words,
      { headers: { [headerNames.payment]: content } },
    ]),
  );
}

/** Additions of one member each. */
function asMembers(members: Readonly<Record<string, unknown>>): Extras {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]): [string, Extra] => [
      `\`${name}\``,
      { members: { [name]: value } },
    ]),
  );
}

function base64Url(value: unknown): string {
  return Buffer.from(jsonText(value)).toString('base64url');
}
