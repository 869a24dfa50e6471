import { expect, it } from 'vitest';
import type { Offer } from './offer.ts';
import { type Memory, refusal } from './refusal.ts';

const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  resource: 'https://gateway.example/v1/completions',
  payTo: `0x${'Ab'.repeat(20)}`,
  asset: `0x${'cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Token',
  domainVersion: '1',
};
const nowSeconds = 1_700_000_000;
const nothing: Memory = { payTo: undefined, asset: undefined, pins: {}, firstAmount: undefined };

function refused(change: Partial<Offer>, memory: Partial<Memory> = {}, windowSeconds = 60) {
  const validBefore = nowSeconds + windowSeconds;
  const all = { ...nothing, ...memory };
  return refusal({ ...offer, ...change }, { validBefore }, all, 'https://gateway.example', nowSeconds);
}

it('accepts a correct offer', () => {
  expect(refused({})).toBeUndefined();
  expect(
    refused({}, { payTo: `0x${'ab'.repeat(20)}`, asset: offer.asset, firstAmount: 1_000n }),
  ).toBeUndefined();
});

it('accepts a window that ends with the offer, and none that ends later', () => {
  expect(refused({}, {}, 60)).toBeUndefined();
  expect(refused({}, {}, 61)).toContain('maxTimeoutSeconds of the offer (60 s)');
});

it('refuses a price above zero after a first price of zero', () => {
  expect(refused({ maxAmountRequired: 0n }, { firstAmount: 0n })).toBeUndefined();
  expect(refused({ maxAmountRequired: 1n }, { firstAmount: 0n })).toContain('rose from 0 to 1');
});

it.each([
  ['another port', { resource: 'https://gateway.example:8443/v1/completions' }],
  ['another scheme of the URL', { resource: 'http://gateway.example/v1/completions' }],
  ['a host with the same beginning', { resource: 'https://gateway.example.evil.example/v1/completions' }],
  ['the host as user name', { resource: 'https://gateway.example@evil.example/v1/completions' }],
])('refuses a resource with %s', (_, change) => {
  expect(refused(change)).toContain('is not on the host of the target');
});

it.each([
  ['payTo', '--pay-to'],
  ['asset', '--asset'],
] as const)('says whether the target changed %s or %s requires another', (field, option) => {
  const address = `0x${'01'.repeat(20)}`;
  expect(refused({}, { [field]: address })).toBe(
    `${field} changed from ${address} in the first offer to ${offer[field]}${
      field === 'payTo' ? '. If the target has several recipients, repeat --pay-to for each' : ''
    }`,
  );
  expect(refused({}, { [field]: address, pins: { [field]: address } })).toBe(
    `${field} is ${offer[field]}, but ${option} requires ${address}`,
  );
});

it('accepts each of several required recipients, and no other', () => {
  const [one, other] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];
  const payTo = [offer.payTo.toLowerCase(), one];
  expect(refused({}, { payTo, pins: { payTo } })).toBeUndefined();
  expect(refused({ payTo: one }, { payTo, pins: { payTo } })).toBeUndefined();
  expect(refused({ payTo: other }, { payTo, pins: { payTo } })).toBe(
    `payTo is ${other}, but --pay-to requires ${payTo.join(' or ')}`,
  );
});
