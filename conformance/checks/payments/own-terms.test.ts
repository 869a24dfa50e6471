import { expect, it } from 'vitest';
import { uint256Max } from '../../payment/offer.ts';
import { whyUnsignable } from '../../payment/terms.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { offer } from '../../testing/plain-offer.ts';

const highestPrice: Change = (sound) => ({
  offer: (endpoint, url) => ({ ...sound.offer(endpoint, url), maxAmountRequired: uint256Max.toString() }),
});

it('passes a price of 2^256-1, above which no payment can be signed (§2.8, §2.9, D-423)', async () => {
  await using target = await startFakeTarget(highestPrice);
  const report = await judged(target, { profiles: ['free', 'signed'] });
  expect(listIds(report, 'fail', 'warn', 'error', 'inconclusive')).toEqual([]);
  expect(report.exitCode).toBe(0);
});

it('can sign one unit more than each lower price (§2.9, D-423)', () => {
  expect(whyUnsignable('one-over', { ...offer, maxAmountRequired: uint256Max - 1n })).toBeUndefined();
  expect(whyUnsignable('exact', { ...offer, maxAmountRequired: uint256Max })).toBeUndefined();
  expect(whyUnsignable('one-over', { ...offer, maxAmountRequired: uint256Max })).toMatch(/uint256/);
});

it('passes a gateway that takes any amount up to the maximum (§2.9, D-17, D-424)', async () => {
  await using target = await startFakeTarget((sound) => ({
    termsFault: (authorization, offered, nowSeconds) => {
      const fault = sound.termsFault(authorization, offered, nowSeconds);
      return fault === 'value is too low' && authorization.value !== '0' ? undefined : fault;
    },
  }));
  const report = await judged(target, { filter: 'payment.' });
  expect(listIds(report, 'fail', 'warn', 'error', 'inconclusive')).toEqual([]);
  const own = report.results.filter(({ requirement }) => requirement === 'payment.own-terms.refused');
  expect(own.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'not-applicable']);
});

it('passes a gateway that takes a payment before it refuses further members (§2.1, D-420)', async () => {
  await using target = await startFakeTarget((sound) => ({
    order: () => ['payment', 'signature', 'terms', 'body', 'balance'],
    bodyFault: (endpoint, body) =>
      JSON.stringify(body).includes('"verbosity"') ? 'verbosity is unknown' : sound.bodyFault(endpoint, body),
  }));
  const report = await judged(target, { profiles: ['free', 'signed'], filter: 'conditions.' });
  expect(listIds(report, 'fail', 'warn', 'error')).toEqual([]);
  const signed = report.results.filter(({ profile }) => profile === 'signed');
  expect(signed.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
});
