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
])('fails a gateway that takes an earlier %s as a payment (§1, §2.10, D-418)', async (_, readPart) => {
  const report = await judgedWith(readPart);
  expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
  expect(report.exitCode).toBe(1);
});

it('fails a gateway that serves a request with the cookie of its own 402 (§5, D-418)', async () => {
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async ({ headers }, forward) => {
    const forwarded = await forward();
    if (headers.cookie === 'offer=ok') return json(200, completion);
    return { ...forwarded, headers: { ...forwarded.headers, 'set-cookie': 'offer=ok; Path=/' } };
  });
  const report = await judged(
    { ...gateway, url: proxy.url },
    { profiles: ['free'], filter: 'unpaid.never-200' },
  );
  expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
});

it('fails a gateway that refuses a second purchase of the same body (§3, D-418)', async () => {
  await using gateway = await startFakeTarget();
  const payments = new Map<string, unknown>();
  await using proxy = await startProxy(gateway.url, async ({ headers, body }, forward) => {
    const payment = headers['x-payment'];
    const sold = payments.get(body);
    if (payment !== undefined && sold !== undefined && sold !== payment) return json(402, {});
    const forwarded = await forward();
    if (forwarded.status === 200) payments.set(body, payment);
    return forwarded;
  });
  const report = await judged({ ...gateway, url: proxy.url }, { filter: 'chat.200.status' });
  expect(listIds(report, 'fail')).toEqual(['chat.200.status']);
});

it('passes a gateway that closes the connection during a large body (§8, D-418)', async () => {
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async ({ body }, forward) => {
    if (body.length > 200_000) throw new Error('too long');
    return forward();
  });
  const report = await judged(
    { ...gateway, url: proxy.url },
    { profiles: ['free'], filter: 'unpaid.never-200' },
  );
  expect(listIds(report, 'fail', 'inconclusive')).toEqual([]);
});

it('sends a bad X-PAYMENT and an invalid paid body again after a 429 (§7, D-418)', async () => {
  await using gateway = await startFakeTarget();
  const refused = new Set<string>();
  await using proxy = await startProxy(gateway.url, async ({ headers, body }, forward) => {
    const payment = headers['x-payment'];
    const forwarded = await forward();
    const isDecoded = String(payment).length > 300;
    const request = `${payment} ${body}`;
    const isSlowed =
      payment !== undefined && (!isDecoded || forwarded.status === 400) && !refused.has(request);
    if (!isSlowed) return forwarded;
    refused.add(request);
    return json(429, {}, { 'Retry-After': '0' });
  });
  const target = { ...gateway, url: proxy.url };
  for (const filter of ['unpaid.never-200', 'body.invalid.paid']) {
    const report = await judged(target, { filter });
    expect(listIds(report, 'fail', 'inconclusive')).toEqual([]);
  }
  expect(refused.size).toBeGreaterThan(20);
});
