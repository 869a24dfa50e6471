import { type TypedDataDomain, verifyTypedData } from 'ethers';
import { describe, expect, it } from 'vitest';
import { isObject } from '../independent/body-rules.ts';
import type { Json } from '../independent/steps.ts';
import { judge, type SuiteOptions } from '../suite/judge.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { json, type ProxyRequest, type ProxyResponse, startProxy } from '../testing/proxy.ts';

/** Gateways of third parties that earlier passed with a fault, or were not recognized as gateways. */

const refusal = { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' } };

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

async function judgedWith(change: Change, options: Partial<SuiteOptions> = {}) {
  await using target = await startFakeTarget(change);
  return await judged(target, { profiles: ['free'], ...options });
}

describe('a gateway that also accepts signatures over other data (§4.4)', () => {
  const offered = (offer: Json): TypedDataDomain => ({
    name: String(Object(offer['extra'])['name']),
    version: '1',
    chainId: 84_532,
    verifyingContract: String(offer['asset']),
  });
  it.each<[string, string, (domain: TypedDataDomain) => TypedDataDomain]>([
    ['a domain without `chainId`', 'signature.domain.chainId', ({ chainId: _, ...domain }) => domain],
    [
      'a domain without `verifyingContract`',
      'signature.domain.verifyingContract',
      ({ verifyingContract: _, ...domain }) => domain,
    ],
    ['the name of another token', 'signature.domain.name', (domain) => ({ ...domain, name: 'USD Coin' })],
    ['the version 2', 'signature.domain.version', (domain) => ({ ...domain, version: '2' })],
  ])('fails: %s', async (_, id, change) => {
    const fields = [
      'from address',
      'to address',
      'value uint256',
      'validAfter uint256',
      'validBefore uint256',
    ];
    const types = {
      TransferWithAuthorization: [...fields, 'nonce bytes32'].map((field) => {
        const [name = '', type = ''] = field.split(' ');
        return { name, type };
      }),
    };
    const report = await judgedWith(
      ({ isSigned }) => ({
        isSigned: (payment, offer) => {
          if (isSigned(payment, offer)) return true;
          const { authorization, signature } = payment;
          const message = { ...authorization, from: authorization.from.toLowerCase() };
          try {
            const signer = verifyTypedData(change(offered(offer)), types, message, signature);
            return signer.toLowerCase() === message.from;
          } catch {
            return false;
          }
        },
      }),
      { profiles: ['signed'], filter: id },
    );
    expect(listIds(report, 'fail')).toEqual([id]);
  });
});

describe('a gateway that accepts an invalid body (§2.2)', () => {
  it('fails: `tool_calls` that are no array, with `content`', async () => {
    const report = await judgedWith(
      ({ bodyFault }) => ({
        bodyFault: (endpoint, body) => bodyFault(endpoint, onMessages(body, withoutOddCalls)),
      }),
      { filter: 'body.message.' },
    );
    expect(listIds(report, 'fail')).toEqual(['body.message.tool_calls.array']);
  });

  it.each<[string, string, RegExp]>([
    ['a comma after the last member', 'body.chat.json', /,\s*\}\s*$/],
    ['text after the object', 'body.chat.json', /\} end/],
    ['a comment', 'body.chat.json', /\/\*/],
    ['single quotes', 'body.chat.json', /^\{'/],
    ['NaN as a number', 'body.chat.json', /:NaN/],
    ['a line break in a string', 'body.completions.json', /\["\n/],
    ['another letter case of a name', 'body.chat.model.required', /"Model"/],
    ['a blank after a role', 'body.message.role.enum', /"user "/],
    ['the beginning of a type of a tool', 'body.tool.type', /"functions"/],
    ['a temperature just below the range', 'body.chat.temperature.minimum', /-0\.01/],
    ['another model of a provider in the catalog', 'body.chat.model.in-catalog', /"alder\/(?!alder-mini")/],
    ['a longer model name', 'body.chat.model.in-catalog', /"alder\/alder-mini[^"]/],
  ])('fails: %s', async (_, id, taken) => {
    const report = await judgedBehind(
      ({ body }, forwarded) =>
        forwarded.status !== 402 && taken.test(body) ? json(402, { error: 'Pay.' }) : forwarded,
      { filter: id },
    );
    expect(listIds(report, 'fail', 'warn')).toEqual([id]);
  });

  it.each(['developer', 'function'])('fails: the role `%s` of another API', async (role) => {
    const report = await judgedWith(
      ({ bodyFault }) => ({
        bodyFault: (endpoint, body) =>
          bodyFault(
            endpoint,
            onMessages(body, (each) => (each['role'] === role ? { ...each, role: 'system' } : each)),
          ),
      }),
      { filter: 'body.message.role.' },
    );
    expect(listIds(report, 'fail')).toEqual(['body.message.role.enum']);
  });

  it('fails: an arbitrary second tool call', async () => {
    const report = await judgedWith(
      ({ bodyFault }) => ({
        bodyFault: (endpoint, body) => bodyFault(endpoint, onMessages(body, withFirstCall)),
      }),
      { filter: 'body.tool-call.' },
    );
    expect(listIds(report, 'fail')).toEqual(['body.tool-call.arguments-string']);
  });

  it('fails: an arbitrary second tool', async () => {
    const report = await judgedWith(
      ({ bodyFault }) => ({
        bodyFault: (endpoint, body) =>
          bodyFault(
            endpoint,
            isObject(body) && Array.isArray(body['tools'])
              ? { ...body, tools: body['tools'].slice(0, 1) }
              : body,
          ),
      }),
      { filter: 'body.tool.' },
    );
    expect(listIds(report, 'fail')).toEqual(['body.tool.function-name']);
  });

  function withFirstCall(message: Json): Json {
    const { tool_calls: calls } = message;
    return Array.isArray(calls) ? { ...message, tool_calls: calls.slice(0, 1) } : message;
  }

  function withoutOddCalls(message: Json): Json {
    const { tool_calls: calls, ...rest } = message;
    return Array.isArray(calls) ? message : rest;
  }
});

describe('a gateway that refuses a valid body (§2.1, §2.2, §3)', () => {
  it.each<[string, string, (body: Json) => boolean]>([
    ['the role `system`', 'body.valid.unpaid', (body) => says(body, ({ role }) => role === 'system')],
    ['the role `tool`', 'body.valid.unpaid', (body) => says(body, ({ role }) => role === 'tool')],
    [
      'null content with tool calls',
      'body.message.assistant-tool-calls.content-null',
      (body) => says(body, ({ content }) => content === null),
    ],
    ['a fraction as `temperature`', 'body.valid.unpaid', (body) => Number(body['temperature']) % 1 > 0],
    ['one token', 'body.valid.unpaid', (body) => body['max_tokens'] === 1],
    ['two tools', 'body.valid.unpaid', ({ tools }) => Array.isArray(tools) && tools.length > 1],
    [
      'two system messages',
      'robustness.valid-bodies',
      ({ messages }) =>
        Array.isArray(messages) && messages.filter((each) => Object(each).role === 'system').length > 1,
    ],
    [
      'a system message that is not the first',
      'robustness.valid-bodies',
      ({ messages }) =>
        Array.isArray(messages) && messages.some((each, at) => at > 0 && Object(each).role === 'system'),
    ],
    [
      'capitals, digits and hyphens in the name of a tool',
      'robustness.valid-bodies',
      ({ tools }) => Array.isArray(tools) && tools.some((each) => !/^[a-z_]+$/.test(each.function?.name)),
    ],
    [
      'capitals, digits and hyphens in the name of a participant',
      'robustness.valid-bodies',
      (body) => says(body, ({ name }) => name !== undefined && !/^[a-z_]+$/.test(String(name))),
    ],
  ])('fails: %s', async (_, id, isRefused) => {
    const report = await judgedWith(
      ({ bodyFault }) => ({
        bodyFault: (endpoint, body) =>
          isObject(body) && isRefused(body) ? 'refused' : bodyFault(endpoint, body),
      }),
      { filter: id },
    );
    expect(listIds(report, 'fail')).toEqual([id]);
  });
});

describe('a target that is recognizable as a gateway (§3, §4.1, §7)', () => {
  it.each<[string, (request: ProxyRequest) => boolean]>([
    ['that requires X-SETTLEMENT-TYPE', ({ headers }) => headers['x-settlement-type'] === undefined],
    ['that answers 400 to every request without payment', () => true],
    ['that refuses a system message', ({ body }) => body.includes('"system"')],
  ])('%s is judged, and fails', async (_, isRefused) => {
    const report = await judgedBehind((request, forwarded) =>
      forwarded.status === 402 && request.headers['x-payment'] === undefined && isRefused(request)
        ? json(400, refusal)
        : forwarded,
    );
    expect(report.exitCode).toBe(1);
    expect(listIds(report, 'fail')).toContain('unpaid.chat.402');
  });

  it.each<[string, (request: ProxyRequest) => boolean, ProxyResponse]>([
    [
      'that requires X-SETTLEMENT-TYPE',
      ({ headers }) => headers['x-settlement-type'] === undefined,
      json(400, refusal),
    ],
    ['that answers 402 without an offer', () => true, json(402, {})],
    ['without chat completions', ({ path }) => path.includes('/chat/'), json(404, refusal)],
  ])('%s and without a list of models is judged', async (_, isMet, instead) => {
    await using gateway = await startFakeTarget(({ error }) => ({
      readsBodyFirst: false,
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    }));
    await using proxy = await startProxy(gateway.url, async (request, forward) =>
      isMet(request) ? instead : await forward(),
    );
    const options = { targetUrl: proxy.url, profiles: ['free'], filter: 'unpaid.' } as const;
    expect(await judge(options)).toMatchObject({ ok: true, report: { exitCode: 1 } });
  });

  it('without a list of models that returns 402 first is judged', async () => {
    await using target = await startFakeTarget(({ error }) => ({
      readsBodyFirst: false,
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    }));
    const options = { targetUrl: target.url, profiles: ['free'], filter: 'offer.' } as const;
    expect(await judge(options)).toMatchObject({ ok: true, report: { exitCode: 0 } });
  });
});

describe('a given model without a list of models', () => {
  const refusing =
    (message: string): Change =>
    ({ error }) => ({
      bodyFault: () => 'refused',
      error: (status, type, code) => ({
        ...error(status, type, code),
        body: { error: { message, type, code } },
      }),
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    });

  it('counts as served if the refusal does not mention the model', async () => {
    const report = await judgedWith(refusing('No.'), { filter: 'unpaid.', model: 'some/model' });
    expect(listIds(report, 'fail')).toEqual(['unpaid.chat.402', 'unpaid.completions.402']);
  });

  it('is a usage fault if the refusal mentions the model', async () => {
    await using target = await startFakeTarget(refusing('There is no model some/model.'));
    const options = { targetUrl: target.url, profiles: ['free'], filter: 'unpaid.' } as const;
    expect(await judge({ ...options, model: 'some/model' })).toMatchObject({
      ok: false,
      usage: expect.stringContaining('does not serve the model "some/model"'),
    });
  });
});

function onMessages(body: unknown, change: (message: Json) => Json): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  return { ...body, messages: body['messages'].map((each) => (isObject(each) ? change(each) : each)) };
}

function says({ messages }: Json, test: (message: Json) => boolean): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && test(message));
}
