import { expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, type ProxyResponse, startProxy } from '../../testing/proxy.ts';

const completion = (content: string, id = 'a') => ({
  id,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

/** The response to a payment that was served before, with the gateway's own one and with the one that served it. */
type Again = (times: number, forwarded: ProxyResponse, first: ProxyResponse) => ProxyResponse;

/** Judges a gateway with its own response to a payment that it has served before. */
async function judgedWith(again: Again) {
  await using gateway = await startFakeTarget();
  const served = new Map<unknown, ProxyResponse>();
  let times = 0;
  await using proxy = await startProxy(gateway.url, async ({ headers }, forward) => {
    const payment = headers['x-payment'];
    const forwarded = await forward();
    const first = payment === undefined ? undefined : served.get(payment);
    if (first !== undefined) {
      times += 1;
      return again(times, forwarded, first);
    }
    if (forwarded.status === 200) served.set(payment, forwarded);
    return forwarded;
  });
  const report = await judged({ ...gateway, url: proxy.url }, { filter: 'sequence.paid-then-unpaid' });
  expect(times).toBe(2);
  return report;
}

it.each<[string, (times: number) => object]>([
  ['one other completion', () => completion('ping')],
  ['two other completions', (times) => completion(`ping ${times}`)],
  ['a completion with the same text and another `id`', () => completion('pong', 'b')],
])('warns about %s for one payment (§1, D-245)', async (_, write) => {
  const report = await judgedWith((times) => json(200, write(times)));
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
});

it.each<[string, Again]>([
  ['refused', (_, forwarded) => forwarded],
  ['refused with 409', () => json(409, {})],
  ['served with the same completion', (_, __, first) => first],
  ['served without a completion', () => json(200, {})],
  ['refused for the rate', () => json(429, {})],
])('passes a gateway where a repeated payment is %s (§5)', async (_, again) => {
  const report = await judgedWith(again);
  expect(listIds(report, 'pass')).toEqual(['sequence.paid-then-unpaid']);
  expect(listIds(report, 'warn', 'inconclusive', 'error')).toEqual([]);
});
