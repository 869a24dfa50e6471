import { expect, it } from 'vitest';
import type { SuiteOptions } from '../../suite/judge.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, type ProxyRequest, type ProxyResponse, startProxy } from '../../testing/proxy.ts';

const completion = { id: 'a', object: 'chat.completion', choices: [] };

/** Judges a gateway behind a proxy that may change each response. */
async function judgedBehind(
  response: (request: ProxyRequest, forwarded: ProxyResponse) => ProxyResponse,
  options: Partial<SuiteOptions> = {},
) {
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async (request, forward) =>
    response(request, await forward()),
  );
  return await judged({ ...gateway, url: proxy.url }, options);
}

function readJson(text: unknown) {
  return JSON.parse(Buffer.from(String(text), 'base64').toString());
}

it.each<[string, (request: ProxyRequest) => unknown]>([
  ['a bearer token', ({ headers }) => headers.authorization?.replace('Bearer ', '')],
  ['X-Transaction-Hash', ({ headers }) => headers['x-transaction-hash']],
  ['PAYMENT-SIGNATURE', ({ headers }) => headers['payment-signature']],
  ['the query', ({ path }) => new URLSearchParams(path.split('?')[1]).get('tx')],
])('fails a gateway that takes an earlier transaction hash as %s (§1, §5, D-437)', async (_, readPlace) => {
  const known = new Set<unknown>();
  const report = await judgedBehind((request, forwarded) => {
    const receipt = forwarded.headers['x-payment-response'];
    if (receipt !== undefined) known.add(readJson(receipt).txHash);
    return known.has(readPlace(request)) ? json(200, completion) : forwarded;
  });
  expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
});

it('fails a gateway that serves a known idempotency key with any X-PAYMENT (§1, §3, D-437)', async () => {
  const known = new Set<string>();
  const report = await judgedBehind(({ headers }, forwarded) => {
    const key = String(headers['idempotency-key']);
    if (headers['idempotency-key'] === undefined || headers['x-payment'] === undefined) return forwarded;
    if (known.has(key)) return json(200, completion);
    if (forwarded.status === 200) known.add(key);
    return forwarded;
  });
  expect(listIds(report, 'fail')).toEqual(['unpaid.never-200']);
  expect(listIds(report, 'warn')).toEqual(['sequence.paid-then-unpaid']);
});

it('fails a gateway that ignores `value` of a payment with a good signature (§2.9, §3, D-438)', async () => {
  const priceOf = new Map<string, string>();
  const report = await judgedBehind(
    ({ headers, path }, forwarded) => {
      const offer = forwarded.headers['x-payment-required'];
      if (offer !== undefined) priceOf.set(path, readJson(offer).maxAmountRequired);
      const content = headers['x-payment'];
      if (content === undefined || forwarded.status !== 401) return forwarded;
      const { value } = readJson(content).payload.authorization;
      const isLess = BigInt(value) + 1n === BigInt(priceOf.get(path) ?? 0);
      const error = { message: 'No.', type: 'payment_error', code: 'insufficient_funds' };
      return isLess ? json(402, { error }) : forwarded;
    },
    { profiles: ['signed'], filter: 'signature.authorization-edited' },
  );
  expect(listIds(report, 'fail')).toEqual(['signature.authorization-edited']);
});

it('fails a gateway that compares a payment with the newest price of anyone (§2.8, D-439)', async () => {
  let isCheap = false;
  const report = await judgedBehind(
    ({ headers, body }, forwarded) => {
      if (headers['x-payment'] !== undefined) return isCheap ? json(402, {}) : forwarded;
      isCheap = /"max_tokens":1[,}]/.test(body);
      return forwarded;
    },
    { filter: 'chat.200.status' },
  );
  expect(listIds(report, 'fail')).toEqual(['chat.200.status']);
});
