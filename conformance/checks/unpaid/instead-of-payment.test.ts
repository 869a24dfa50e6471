import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../../suite/judge.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, type ProxyRequest, type ProxyResponse, startProxy } from '../../testing/proxy.ts';

const completion = { id: 'a', object: 'chat.completion', choices: [] };

/** Judges a gateway behind a proxy that answers some requests itself. */
async function judgedBehind(
  response: (request: ProxyRequest, forwarded: ProxyResponse) => ProxyResponse,
  options: Partial<SuiteOptions> = {},
) {
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async (request, forward) =>
    response(request, await forward()),
  );
  return await judged({ ...gateway, url: proxy.url }, { profiles: ['free'], ...options });
}

function servedIf(isServed: (request: ProxyRequest) => boolean) {
  return (request: ProxyRequest, forwarded: ProxyResponse) =>
    forwarded.status === 402 && isServed(request) ? json(200, completion) : forwarded;
}

/** The roles of the messages in a body; empty if it has none. */
function rolesIn(body: string): readonly string[] {
  let read: { messages?: readonly { role: string }[] };
  try {
    read = JSON.parse(body);
  } catch {
    return ['unread'];
  }
  return Array.isArray(read.messages) ? read.messages.map(({ role }) => role) : ['unread'];
}

describe('a gateway that serves without a payment (§1, §5)', () => {
  it.each<[string, (request: ProxyRequest) => boolean]>([
    ['a bearer token', ({ headers }) => headers.authorization?.startsWith('Bearer ') === true],
    ['a name and password', ({ headers }) => headers.authorization?.startsWith('Basic ') === true],
    ['an API key in a header', ({ headers }) => headers['x-api-key'] !== undefined],
    ['an API key in the query', ({ path }) => path.includes('api_key=')],
    ['an API key in the body', ({ body }) => body.includes('"api_key"')],
    ['a cookie', ({ headers }) => headers.cookie !== undefined],
    ['a forwarded local address', ({ headers }) => headers['x-forwarded-for'] === '127.0.0.1'],
    ['a receipt', ({ headers }) => headers['x-payment-response'] !== undefined],
    ['a payment header with another name', ({ headers }) => headers['payment-signature'] !== undefined],
    ['a key of another scheme', ({ headers }) => /^(Token|ApiKey) /.test(headers.authorization ?? '')],
    ['a key without a scheme', ({ headers }) => /^sk-/.test(headers.authorization ?? '')],
    ['the name of an organization', ({ headers }) => headers['openai-organization'] !== undefined],
    ['the address of a wallet', ({ headers }) => headers['x-wallet-address'] !== undefined],
    ['an idempotency key', ({ headers }) => headers['idempotency-key'] !== undefined],
    ['a local web page', ({ headers }) => headers.origin !== undefined],
    ['its own page', ({ headers }) => headers.origin === `http://${headers.host}`],
    ['a trial', ({ body }) => body.includes('"dry_run":true')],
    ['a request for a stream', ({ headers }) => headers.accept?.includes('text/event-stream') === true],
    ['a word as X-PAYMENT', ({ headers }) => headers['x-payment'] === 'test'],
    ['an HTML page', ({ headers }) => headers.accept?.includes('text/html') === true],
    ['a request of the same site', ({ headers }) => headers['sec-fetch-site'] !== undefined],
    ['a conditional request', ({ headers }) => headers['if-modified-since'] !== undefined],
    ['a local visitor', ({ headers }) => headers['cf-connecting-ip'] === '127.0.0.1'],
    ['a forwarded host', ({ headers }) => headers['x-forwarded-host'] !== undefined],
    ['another path in a header', ({ headers }) => headers['x-original-url'] !== undefined],
    ['a preference', ({ headers }) => headers['prefer'] !== undefined],
    ['X-PAYMENT-REQUIRED in the request', ({ headers }) => headers['x-payment-required'] !== undefined],
    ['a method in a header', ({ headers }) => headers['x-http-method-override'] !== undefined],
    ['an empty X-PAYMENT', ({ headers }) => headers['x-payment'] === ''],
    ['the hash of a transaction', ({ headers }) => /^0x2{64}$/.test(`${headers['x-payment']}`)],
    ['an apikey header', ({ headers }) => headers['apikey'] !== undefined],
    ['the name of a user', ({ headers }) => headers['x-forwarded-user'] !== undefined],
    ['a private address', ({ headers }) => headers['x-forwarded-for'] === '10.0.0.7'],
    ['a query', ({ path }) => path.includes('debug=')],
    ['no Accept header', ({ headers }) => headers.accept === undefined],
    ['a member of a common interface', ({ body }) => body.includes('"seed":')],
    ['an expectation', ({ headers }) => headers.expect !== undefined],
  ])('fails: for %s', async (_, isServed) => {
    const report = await judgedBehind(servedIf(isServed), { filter: 'unpaid.' });
    expect(listIds(report, 'fail')).toContain('unpaid.never-200');
    expect(report.exitCode).toBe(1);
  });

  it.each([200_000, 1_000_000])('fails: for a body above %i bytes', async (bytes) => {
    const report = await judgedBehind(
      servedIf(({ body }) => body.length > bytes),
      { filter: 'robustness.unusual-bodies' },
    );
    expect(listIds(report, 'fail')).toEqual(['robustness.unusual-bodies']);
    expect(report.exitCode).toBe(1);
  });

  it.each<[string, (roles: readonly string[]) => boolean]>([
    ['a last message of the assistant', (roles) => roles.at(-1) === 'assistant'],
    ['a tool call without a result', (roles) => roles.join() === 'user,assistant'],
    ['system messages alone', (roles) => roles.every((role) => role === 'system')],
    ['a last message of the system', (roles) => roles.at(-1) === 'system'],
    ['an assistant message alone', (roles) => roles.join() === 'assistant'],
    ['a result alone', (roles) => roles.join() === 'tool'],
    ['a first message of a tool', (roles) => roles.join() === 'tool,user'],
    ['a completion after a result', (roles) => roles.join().endsWith('tool,assistant')],
    ['many messages', (roles) => roles.length > 20],
  ])('fails: for %s', async (_, isMet) => {
    const report = await judgedBehind(
      servedIf(({ path, body }) => path.endsWith('/chat/completions') && isMet(rolesIn(body))),
      { filter: 'unpaid.never-200' },
    );
    expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  });

  it.each(['private', 'individual', 'batch'])('fails: for a bearer token with %s', async (type) => {
    const report = await judgedBehind(
      servedIf(
        ({ headers }) =>
          headers.authorization?.startsWith('Bearer ') === true && headers['x-settlement-type'] === type,
      ),
      { filter: 'conditions.unpaid' },
    );
    expect(listIds(report, 'fail')).toEqual(['conditions.unpaid']);
  });

  it.each([
    ['/v1/responses', { output: [{ type: 'message' }] }],
    ['/v1/messages', { content: [{ type: 'text', text: 'pong' }] }],
    ['/api/chat', { message: { role: 'assistant', content: 'pong' } }],
    ['/api/generate', { response: 'pong' }],
    ['/generate', { generated_text: 'pong' }],
    ['/invocations', { choices: [{ text: 'pong' }] }],
  ])('fails: in the form of %s', async (other, members) => {
    const report = await judgedBehind(
      ({ path }, forwarded) => (path === other ? json(200, { model: 'a/b', ...members }) : forwarded),
      { filter: 'unpaid.' },
    );
    expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  });

  it.each(['PUT', 'PATCH', 'GET', 'DELETE'])('fails: for the method %s', async (other) => {
    const report = await judgedBehind(
      ({ method, body }, forwarded) =>
        method === other && body.includes('"messages"') ? json(200, completion) : forwarded,
      { filter: 'unpaid.' },
    );
    expect(listIds(report, 'fail')).toContain('unpaid.never-200');
  });

  it.each([
    '/chat/completions',
    '/v2/chat/completions',
    '/api/v1/chat/completions',
    '/v1/chat/completions;x',
    '/v1/chat/completions.json',
    '/v1/chat/%63ompletions',
  ])('fails: at %s', async (other) => {
    const report = await judgedBehind(
      ({ path }, forwarded) => (path === other ? json(200, completion) : forwarded),
      { filter: 'unpaid.' },
    );
    expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  });

  it('fails: for at most one token', async () => {
    const report = await judgedBehind(servedIf(({ body }) => /"max_tokens":1[,}]/.test(body)));
    expect(listIds(report, 'fail')).toContain('unpaid.never-200');
  });

  it('fails if it serves only a random body', async () => {
    // Only random bodies contain these characters.
    const report = await judgedBehind(servedIf(({ body }) => /[^\x20-\x7eéè日本🍵\u2028]/u.test(body)));
    expect(listIds(report, 'fail')).toContain('unpaid.never-200');
    expect(report.exitCode).toBe(1);
  });
});

describe('a correct gateway', () => {
  const isAtChat = ({ path }: ProxyRequest) => path === '/v1/chat/completions';
  it.each<[string, (request: ProxyRequest, forwarded: ProxyResponse) => ProxyResponse]>([
    [
      'may list its stored completions',
      (request, forwarded) =>
        isAtChat(request) && request.method === 'GET' ? json(200, { data: [] }) : forwarded,
    ],
    [
      'may describe itself at another path',
      (request, forwarded) =>
        forwarded.status === 404 && request.method === 'POST'
          ? json(200, { message: 'No.', response: 'none', output: ['text'] })
          : forwarded,
    ],
    [
      'may delete nothing',
      (request, forwarded) => (request.method === 'DELETE' ? json(200, { deleted: false }) : forwarded),
    ],
    [
      'may not know a method',
      (request, forwarded) => (isAtChat(request) && request.method !== 'POST' ? json(501, {}) : forwarded),
    ],
    [
      'may redirect to the right path',
      ({ path }, forwarded) =>
        path === '/api/v1/chat/completions'
          ? { status: 308, headers: { Location: '/v1/chat/completions' }, body: '' }
          : forwarded,
    ],
    [
      'may take its address from its proxy',
      ({ headers }, forwarded) => {
        const host = headers['x-forwarded-host'];
        const sent = forwarded.headers['x-payment-required'];
        if (host === undefined || sent === undefined) return forwarded;
        const offer = JSON.parse(Buffer.from(sent, 'base64').toString());
        const resource = `http://${host}/v1/chat/completions`;
        const changed = Buffer.from(JSON.stringify({ ...offer, resource })).toString('base64');
        return { ...forwarded, headers: { ...forwarded.headers, 'x-payment-required': changed } };
      },
    ],
  ])('%s', async (_, response) => {
    const report = await judgedBehind(response);
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
  });
});

describe('a gateway that returns 500 for an X-PAYMENT without JSON', () => {
  const failing = (isFaulty: (content: string) => boolean) =>
    judgedBehind(
      ({ headers }, forwarded) => {
        const content = headers['x-payment'];
        return typeof content === 'string' && isFaulty(content) ? json(500, {}) : forwarded;
      },
      { profiles: ['free', 'signed'], filter: 'pa' },
    );

  it('fails for the 500, and does not count as down', async () => {
    const report = await failing((content) => !isJson(Buffer.from(content, 'base64').toString('utf8')));
    expect(listIds(report, 'fail')).toEqual(['payment.malformed']);
    expect(listIds(report, 'inconclusive')).toEqual([]);
    expect(report.exitCode).toBe(1);
  });

  it('gets every malformed payment, although each one fails', async () => {
    const report = await failing((content) => !Buffer.from(content, 'base64').includes('"authorization":{'));
    expect(report.results.filter(({ outcome }) => outcome === 'fail')).toHaveLength(25);
    expect(listIds(report, 'inconclusive')).toEqual([]);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
