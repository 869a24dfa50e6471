import { expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, type ProxyResponse, startProxy } from '../../testing/proxy.ts';

const completion = (content: string) => ({
  id: 'a',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

/** Judges a gateway with its own response to a payment that it has served before. */
async function judgedWith(again: (times: number, forwarded: ProxyResponse) => ProxyResponse) {
  await using gateway = await startFakeTarget();
  const served = new Set<unknown>();
  let times = 0;
  await using proxy = await startProxy(gateway.url, async ({ headers }, forward) => {
    const payment = headers['x-payment'];
    const forwarded = await forward();
    if (payment !== undefined && served.has(payment)) {
      times += 1;
      return again(times, forwarded);
    }
    if (forwarded.status === 200) served.add(payment);
    return forwarded;
  });
  const report = await judged({ ...gateway, url: proxy.url }, { filter: 'sequence.paid-then-unpaid' });
  expect(times).toBe(2);
  return report;
}

it.each<[string, (times: number) => object]>([
  ['one other completion', () => completion('ping')],
  ['two other completions', (times) => completion(`ping ${times}`)],
])('warns about %s for one payment (§1, D-245)', async (_, write) => {
  const report = await judgedWith((times) => json(200, write(times)));
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
});

it.each<[string, (times: number, forwarded: ProxyResponse) => ProxyResponse]>([
  ['refused', (_, forwarded) => forwarded],
  ['refused with 409', () => json(409, {})],
  ['served with the same completion', () => json(200, completion('pong'))],
  ['served without a completion', () => json(200, {})],
  ['refused for the rate', () => json(429, {})],
])('passes a gateway where a repeated payment is %s (§5)', async (_, again) => {
  const report = await judgedWith(again);
  expect(listIds(report, 'pass')).toEqual(['sequence.paid-then-unpaid']);
  expect(listIds(report, 'warn', 'inconclusive', 'error')).toEqual([]);
});
