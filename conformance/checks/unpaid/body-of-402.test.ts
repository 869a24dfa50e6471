import { describe, expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { startProxy } from '../../testing/proxy.ts';

/** Judges a gateway behind a proxy that gives this body to each 402. */
async function judgedWithBody(body: string) {
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async (_request, forward) => {
    const forwarded = await forward();
    return forwarded.status === 402 ? { ...forwarded, body } : forwarded;
  });
  return await judged({ ...gateway, url: proxy.url }, { profiles: ['free'] });
}

describe('a 402 with a body that is no JSON (introduction)', () => {
  it.each(['<h1>Pay</h1>', 'Payment required.', '{"x402Version":1,'])('fails: %s', async (text) => {
    const report = await judgedWithBody(text);
    expect(listIds(report, 'fail')).toEqual(['unpaid.402.json']);
  });

  it('passes if the body is empty, because the contract does not define it (§4.1)', async () => {
    const report = await judgedWithBody('');
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0 });
  });
});

describe('a 402 with a completion in its body (§1, D-244)', () => {
  const message = { role: 'assistant', content: 'pong' };

  it.each<[string, object]>([
    ['a chat', { index: 0, message, finish_reason: 'stop' }],
    ['a text', { index: 0, text: ' four', finish_reason: 'stop' }],
    ['a tool call', { message: { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] } }],
  ])('fails: %s', async (_, choice) => {
    const report = await judgedWithBody(JSON.stringify({ error: 'Pay.', choices: [choice] }));
    expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  });

  it.each<[string, object]>([
    ['no choice', { choices: [] }],
    ['ways to pay', { choices: [{ index: 0, text: 'Pay with the test token.' }] }],
    ['an example', { example: { choices: [{ index: 0, message, finish_reason: 'stop' }] } }],
  ])('passes with %s', async (_, body) => {
    const report = await judgedWithBody(JSON.stringify(body));
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0 });
  });
});
