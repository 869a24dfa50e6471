import { expect, it } from 'vitest';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { startProxy } from '../testing/proxy.ts';

const doubled = (offer: string) => {
  const read = JSON.parse(Buffer.from(offer, 'base64').toString());
  const maxAmountRequired = String(2n * BigInt(read.maxAmountRequired));
  return Buffer.from(JSON.stringify({ ...read, maxAmountRequired })).toString('base64');
};

it('accepts a settlement type with twice the price, because it is another request', async () => {
  await using target = await startFakeTarget();
  await using proxy = await startProxy(target.url, async (request, forward) => {
    const response = await forward();
    const offer = response.headers['x-payment-required'];
    // The gateway behind the proxy accepts only the usual price, so this test ignores paid responses with this
    // type.
    return request.headers['x-settlement-type'] === 'individual' && offer !== undefined
      ? { ...response, headers: { ...response.headers, 'x-payment-required': doubled(offer) } }
      : response;
  });
  const report = await judged({ ...target, url: proxy.url });
  const payments = report.results.filter(({ requirement }) => requirement.startsWith('payment.'));
  expect(payments.filter(({ detail }) => detail.includes('grew'))).toEqual([]);
  expect(listIds(report, 'pass')).toEqual(
    expect.arrayContaining(['payment.over-maximum.refused', 'payment.completions.refused']),
  );
});
