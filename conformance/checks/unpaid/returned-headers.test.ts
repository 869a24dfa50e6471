import { expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, startProxy } from '../../testing/proxy.ts';

const completion = { id: 'a', object: 'chat.completion', choices: [] };

/** Judges a gateway that serves a request whose X-PAYMENT is a known part of an earlier receipt. */
async function judgedWith(readPart: (receipt: string) => unknown) {
  await using gateway = await startFakeTarget();
  const known = new Set<unknown>();
  await using proxy = await startProxy(gateway.url, async ({ headers }, forward) => {
    const forwarded = await forward();
    const receipt = forwarded.headers['x-payment-response'];
    if (receipt !== undefined) known.add(readPart(receipt));
    return known.has(headers['x-payment']) ? json(200, completion) : forwarded;
  });
  return await judged({ ...gateway, url: proxy.url });
}

it.each<[string, (receipt: string) => unknown]>([
  ['receipt', (receipt) => receipt],
  ['transaction hash', (receipt) => JSON.parse(Buffer.from(receipt, 'base64').toString()).txHash],
])('fails a gateway that takes an earlier %s as a payment (§1, §2.10, D-420)', async (_, readPart) => {
  const report = await judgedWith(readPart);
  expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
  expect(report.exitCode).toBe(1);
});
