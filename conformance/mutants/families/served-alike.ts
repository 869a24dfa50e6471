import { type Mutant, responds } from '../mutant.ts';
import { findEndpoint, isPaid, objectIn, withJson, withoutHeader } from '../wire-edits.ts';
import { remembered } from './remembered-payments.ts';
import { asServed, credential, header, type Kills, member, pretext, serving } from './served-unpaid.ts';

/** Serves an `X-PAYMENT` that no key has signed. */
function servingContent(
  id: string,
  what: string,
  isMet: (content: string) => boolean,
  kills: Kills = pretext,
): Mutant {
  return responds(
    `serves-for-${id}-as-payment`,
    `returns a completion for ${what} in \`X-PAYMENT\``,
    kills,
    (reply, asked) =>
      findEndpoint(asked) !== undefined && isPaid(asked) && isMet(asked.headers['x-payment'] ?? '')
        ? asServed(reply)
        : reply,
  );
}

/** Serves every POST to a path of another interface with the body of that interface. */
function servingAt(path: string, body: object): Mutant {
  return responds(
    `serves-at${path.replaceAll(/[^a-z0-9]+/g, '-')}`,
    `serves unpaid requests at ${path}`,
    pretext,
    (reply, asked) =>
      asked.method === 'POST' && asked.path === path
        ? withJson({ ...withoutHeader(reply, 'X-PAYMENT-REQUIRED'), status: 200 }, { model: 'a/b', ...body })
        : reply,
  );
}

/** Mutants that serve unpaid requests of other interfaces, and with other credentials (D-216). */
export const servedAlikeMutants: readonly Mutant[] = [
  serving('apikey', 'with an apikey header', credential, header('apikey')),
  serving('a-cloud-key', 'with an x-goog-api-key header', credential, header('x-goog-api-key')),
  serving('a-proxy-key', 'with an x-litellm-api-key header', credential, header('x-litellm-api-key')),
  serving(
    'a-subscription-key',
    'with an Ocp-Apim-Subscription-Key header',
    credential,
    header('ocp-apim-subscription-key'),
  ),
  serving('an-access-token', 'with an X-Access-Token header', credential, header('x-access-token')),
  ...(
    [
      ['Digest', credential],
      ['AWS4-HMAC-SHA256', credential],
      ['L402', pretext],
      ['x402', pretext],
    ] as const
  ).map(([scheme, kills]) =>
    serving(
      `the-scheme-${scheme.toLowerCase()}`,
      `with an Authorization header of the scheme ${scheme}`,
      kills,
      header('authorization', new RegExp(`^${scheme} `)),
    ),
  ),
  serving(
    'an-openai-client',
    "with the User-Agent of OpenAI's library",
    pretext,
    header('user-agent', /^OpenAI\//),
  ),
  serving(
    'a-repetition',
    "with the count of a repetition by OpenAI's library",
    pretext,
    header('x-stainless-retry-count', /^[1-9]/),
  ),
  ...['seed', 'n', 'response_format', 'service_tier', 'echo', 'top_k', 'session_id'].map((name) =>
    serving(
      `the-member-${name}`,
      `with \`${name}\` in the body`,
      ['conditions.unpaid', ...pretext],
      member(name),
    ),
  ),
  // The suite sends these members with one chat only.
  ...['max_completion_tokens', 'prediction', 'audio'].map((name) =>
    serving(`the-member-${name}`, `with \`${name}\` in the body`, pretext, member(name)),
  ),
  serving('a-forwarded-user', 'with an X-Forwarded-User header', pretext, header('x-forwarded-user')),
  serving('a-remote-user', 'with an X-Remote-User header', pretext, header('x-remote-user')),
  serving('a-user-id', 'with an X-User-Id header', pretext, header('x-user-id')),
  serving('a-certificate', 'with `X-SSL-Client-Verify: SUCCESS`', pretext, header('x-ssl-client-verify')),
  serving('an-envoy', 'with an X-Envoy-Internal header', pretext, header('x-envoy-internal')),
  serving(
    'a-private-address',
    'with an address of 10.0.0.0/8 in X-Forwarded-For',
    pretext,
    header('x-forwarded-for', /^10\./),
  ),
  ...['ELB-HealthChecker', 'GoogleHC', 'Prometheus'].map((name) =>
    serving(
      `the-client-${name.toLowerCase()}`,
      `with a User-Agent that begins with ${name}`,
      pretext,
      header('user-agent', new RegExp(`^${name}`)),
    ),
  ),
  ...['debug', 'free', 'stream'].map((name) =>
    serving(`the-query-${name}`, `with \`${name}\` in the query`, pretext, ({ path }) =>
      new RegExp(`[?&]${name}=`).test(path),
    ),
  ),
  serving('a-double-start', 'with two slashes at the start of the path', pretext, ({ path }) =>
    path.startsWith('//v1/'),
  ),
  responds('serves-delete', 'returns a completion for a DELETE request', pretext, (reply, asked) =>
    asked.method === 'DELETE' && findEndpoint(asked) !== undefined ? asServed(reply) : reply,
  ),
  responds(
    'serves-a-get-with-a-prompt',
    'returns a completion for a GET request with `prompt` in the query',
    pretext,
    (reply, asked) =>
      asked.method === 'GET' && asked.path.startsWith('/v1/completions?prompt=') ? asServed(reply) : reply,
  ),
  servingAt('/v1/responses', {
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'pong' }] }],
  }),
  servingAt('/v1/messages', { content: [{ type: 'text', text: 'pong' }], stop_reason: 'end_turn' }),
  servingAt('/api/chat', { message: { role: 'assistant', content: 'pong' }, done: true }),
  servingAt('/api/generate', { response: 'pong', done: true }),
  servingAt('/generate', { generated_text: 'pong' }),
  ...['/v1/engines/tester/completions', '/openai/deployments/tester/chat/completions', '/invocations'].map(
    (path) => servingAt(path, { choices: [{ index: 0, text: 'pong', finish_reason: 'stop' }] }),
  ),
  servingContent(
    'a-hash',
    'the hash of a transaction',
    (content) => /^0x[0-9a-f]{64}$/.test(content),
    remembered,
  ),
  servingContent(
    'a-receipt',
    'a receipt',
    (content) => objectIn(content)?.['txHash'] !== undefined,
    remembered,
  ),
  servingContent(
    'an-offer',
    'its offer',
    (content) => objectIn(content)?.['maxAmountRequired'] !== undefined,
  ),
  servingContent('a-bearer-token', 'a bearer token', (content) => content.startsWith('Bearer ')),
];
