import { once } from 'node:events';
import { createServer } from 'node:http';
import { endpoints } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { check, closingCheck } from '../context/check.ts';
import { isObject } from '../independent/body-rules.ts';
import { catalogModel, type Json } from '../independent/steps.ts';
import { unpaid } from '../sources/sources.ts';
import { judge } from '../suite/judge.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { json, startProxy } from '../testing/proxy.ts';
import { given } from '../types/found.ts';
import { holds } from '../types/verdict.ts';

describe('a run', () => {
  it('reports an exception in a check as a fault of the suite, and continues', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['free'],
      checks: [
        check('unpaid.chat.402', 'throws', async () => {
          throw new TypeError('no such thing');
        }),
        check('unpaid.completions.402', 'holds', async () => holds()),
      ],
    });
    expect(report.results.slice(0, 2)).toMatchObject([
      { outcome: 'error', detail: 'TypeError: no such thing' },
      { outcome: 'pass' },
    ]);
    expect(report.exitCode).toBe(4);
  });

  it('sends a shared request once and adds it to the evidence of each check', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['free'],
      model: catalogModel,
      checks: (['unpaid.chat.402', 'unpaid.no-api-key'] as const).map((id) =>
        check(id, 'asks', (context) => given(unpaid(context, 'chat'), () => holds())),
      ),
    });
    expect(report.exchanges).toHaveLength(1);
    expect(report.results.slice(0, 2).map(({ evidence }) => evidence)).toEqual([[1], [1]]);
  });

  it('runs closing checks last', async () => {
    await using target = await startFakeTarget();
    const order: string[] = [];
    await judged(target, {
      profiles: ['free'],
      checks: [
        closingCheck('unpaid.never-200', 'last', async () => {
          order.push('closing');
          return holds();
        }),
        check('unpaid.chat.402', 'first', async () => {
          order.push('other');
          return holds();
        }),
      ],
    });
    expect(order).toEqual(['other', 'closing']);
  });

  it('sends nothing for filtered checks', async () => {
    await using target = await startFakeTarget();
    const all = await judged(target, { profiles: ['free'], model: catalogModel });
    const some = await judged(target, { profiles: ['free'], model: catalogModel, filter: 'offer.' });
    expect(some.exchanges).toHaveLength(2);
    expect(all.exchanges.length).toBeGreaterThan(40);
    const ran = some.results.filter(({ outcome }) => outcome !== 'disabled');
    expect(ran.every(({ requirement }) => requirement.startsWith('offer.'))).toBe(true);
    expect(some.must).toEqual({ verified: ran.length > 0 ? 12 : 0, total: 12 });
  });

  it('discovers a model, or asks the caller for one', async () => {
    await using target = await startFakeTarget();
    expect((await judged(target, { profiles: ['free'], filter: 'offer.' })).model).toBe(catalogModel);

    await using without = await startFakeTarget(({ error }) => ({
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    }));
    const options = { targetUrl: without.url, profiles: ['free'], filter: 'offer.' } as const;
    expect(await judge(options)).toEqual({
      ok: false,
      usage: expect.stringContaining('name a model with --model'),
    });
    expect(await judge({ ...options, model: catalogModel })).toMatchObject({
      report: { verdict: 'conformant' },
    });
  });

  it('takes ids without a provider for no list', async () => {
    await using target = await startFakeTarget();
    await using proxy = await startProxy(target.url, async ({ path }, forward) =>
      path === '/v1/models' ? json(200, { data: [{ id: 'alder-mini', owned_by: 'alder' }] }) : forward(),
    );
    const options = { targetUrl: proxy.url, profiles: ['free'], filter: 'unpaid.' } as const;
    expect(await judge(options)).toEqual({
      ok: false,
      usage: expect.stringMatching(
        /identifier of the form <provider>.*"alder-mini"\. Name a model with --model$/,
      ),
    });
    expect(await judge({ ...options, model: catalogModel })).toMatchObject({
      report: { verdict: 'conformant' },
    });
  });

  it('gives a verdict on a target with a byte order mark before each body (D-249)', async () => {
    await using target = await startFakeTarget();
    await using proxy = await startProxy(target.url, async (_, forward) => {
      const forwarded = await forward();
      return { ...forwarded, body: `\ufeff${forwarded.body}` };
    });
    const report = await judged({ ...target, url: proxy.url }, { profiles: ['free'], filter: 'unpaid.' });
    expect(listIds(report, 'fail')).toEqual(['unpaid.402.json']);
    expect(report.exitCode).toBe(1);
  });

  it('uses the first listed model that is sold, otherwise the first', async () => {
    await using target = await startFakeTarget();
    const unsold = (count: number) => Array.from({ length: count }, (_, at) => `alder/embedding-${at}`);
    for (const [listed, model] of [
      [[...unsold(2), catalogModel], catalogModel],
      [unsold(7), 'alder/embedding-0'],
    ] as const) {
      await using proxy = await startProxy(target.url, async ({ path }, forward) =>
        path === '/v1/models' ? json(200, { data: listed.map((id) => ({ id })) }) : forward(),
      );
      const report = await judged(
        { ...target, url: proxy.url },
        { profiles: ['free'], filter: 'unpaid.chat.402' },
      );
      expect(report).toMatchObject({ model, exitCode: model === catalogModel ? 0 : 1 });
    }
  });

  it('uses the first listed model that is sold at both endpoints, otherwise at one (D-454)', async () => {
    await using target = await startFakeTarget();
    const forChats = 'alder/chats-only';
    for (const [listed, model] of [
      [['alder/embedding', forChats, catalogModel], catalogModel],
      [['alder/embedding', forChats], forChats],
    ] as const) {
      await using proxy = await startProxy(target.url, async ({ path, body }, forward) => {
        if (path === '/v1/models') return json(200, { data: listed.map((id) => ({ id })) });
        const isChatOfIt = path === endpoints.createChatCompletion.path && body.includes(forChats);
        return isChatOfIt ? json(402, {}) : forward();
      });
      const report = await judged(
        { ...target, url: proxy.url },
        { profiles: ['free'], filter: 'unpaid.chat.402' },
      );
      expect(report.model).toBe(model);
    }
  });

  it.each([429, 503])('is incomplete when the list of models gets %i', async (status) => {
    await using busy = await startFakeTarget(({ error }) => ({
      finish: (reply, endpoint) => (endpoint ? reply : error(status, 'rate_limit_error', 'rate_limited')),
    }));
    const report = await judged(busy, { profiles: ['free'] });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      exitCode: 3,
      unreached: expect.stringContaining(`GET /v1/models returned ${status}`),
    });
    expect(listIds(report, 'fail')).toEqual([]);
  });

  it('judges a target that demanded a payment once, and then refuses the model in every form', async () => {
    await using target = await startFakeTarget();
    let posts = 0;
    const refusal = { message: 'No such model.', type: 'invalid_request_error', code: 'invalid_request' };
    await using proxy = await startProxy(target.url, async ({ path }) => {
      if (path === '/v1/models') return json(404, { error: { ...refusal, code: 'not_found' } });
      posts += 1;
      return posts === 1 ? json(402, {}) : json(400, { error: refusal });
    });
    const report = await judged(
      { ...target, url: proxy.url },
      { profiles: ['free'], filter: 'unpaid.chat.402' },
    );
    expect(listIds(report, 'fail')).toContain('unpaid.chat.402');
  });

  it('names the option for a target whose list of models demands a payment', async () => {
    await using target = await startFakeTarget();
    await using proxy = await startProxy(target.url, async ({ path }, forward) => {
      const reply = json(402, {});
      const offered = { ...reply, headers: { ...reply.headers, 'X-PAYMENT-REQUIRED': 'e30=' } };
      return path === '/v1/models' ? offered : forward();
    });
    const options = { targetUrl: proxy.url, profiles: ['free'], filter: undefined } as const;
    expect(await judge(options)).toEqual({
      ok: false,
      usage: 'no model to ask for: GET /v1/models demands a payment. Name a model with --model',
    });
  });

  it('ends with a usage fault for a model that the target does not serve', async () => {
    await using target = await startFakeTarget();
    const options = { targetUrl: target.url, profiles: ['free'], filter: undefined } as const;
    expect(await judge({ ...options, model: 'nope/x' })).toEqual({
      ok: false,
      usage: expect.stringContaining('does not serve the model "nope/x"'),
    });
  });

  it.each([
    ['names another field', 'stop', () => true],
    ['accepts the model without that field', null, (body: Json) => 'stop' in body],
  ])('judges a target that refuses a valid request, and %s', async (_, param, isRefused) => {
    await using target = await startFakeTarget(({ bodyFault, error }) => ({
      bodyFault: (endpoint, body) =>
        isObject(body) && isRefused(body) ? 'refused' : bodyFault(endpoint, body),
      error: (status, type, code) => {
        const reply = error(status, type, code);
        return { ...reply, body: { error: { message: 'No.', type, code, param } } };
      },
    }));
    const report = await judged(target, { profiles: ['free'], model: catalogModel });
    expect(report).toMatchObject({ verdict: 'non-conformant' });
    expect(listIds(report, 'fail')).toContain('unpaid.chat.402');
  });

  it('names the cause of a missing response after one request', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const options = { profiles: ['free'], filter: undefined, timeoutMs: 50 } as const;
    const result = await judge({ ...options, targetUrl: `http://127.0.0.1:${port}` });
    silent.closeAllConnections();
    silent.close();
    expect(result).toMatchObject({
      report: {
        verdict: 'incomplete',
        unreached: 'timed out after 50 ms',
        exchanges: [{ number: 1, failure: 'timed out after 50 ms' }],
      },
    });
  });

  it('is incomplete when the target cannot be reached', async () => {
    const options = { targetUrl: 'http://127.0.0.1:1', profiles: ['free'], filter: undefined } as const;
    for (const model of [undefined, catalogModel]) {
      const result = await judge(model === undefined ? options : { ...options, model });
      expect(result).toMatchObject({
        report: { verdict: 'incomplete', must: { verified: 0 }, counts: { pass: 0, fail: 0 } },
      });
    }
  });

  it('rejects the profile paid without key and caps', async () => {
    const options = { targetUrl: 'http://127.0.0.1:1', profiles: ['paid'], filter: undefined } as const;
    expect(await judge(options)).toMatchObject({ ok: false, usage: expect.stringContaining('caps') });
  });

  it('rejects the profile limits without permission', async () => {
    const options = { targetUrl: 'http://127.0.0.1:1', profiles: ['limits'], filter: undefined } as const;
    expect(await judge(options)).toMatchObject({
      ok: false,
      usage: expect.stringContaining('--i-own-this-target'),
    });
  });
});
