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

it('has nothing against an offer as it should be', () => {
  expect(refused({})).toBeUndefined();
  expect(
    refused({}, { payTo: `0x${'ab'.repeat(20)}`, asset: offer.asset, firstAmount: 1_000n }),
  ).toBeUndefined();
});

it('lets a window end with the offer, and not a second later', () => {
  expect(refused({}, {}, 60)).toBeUndefined();
  expect(refused({}, {}, 61)).toContain('the window ends later than the 60 s of the offer');
});

it('takes an offer that costs nothing at first for one that must go on costing nothing', () => {
  expect(refused({ maxAmountRequired: 0n }, { firstAmount: 0n })).toBeUndefined();
  expect(refused({ maxAmountRequired: 1n }, { firstAmount: 0n })).toContain('grew from 0 to 1');
});

it.each([
  ['another port', { resource: 'https://gateway.example:8443/v1/completions' }],
  ['another scheme of the URL', { resource: 'http://gateway.example/v1/completions' }],
  ['a host that begins alike', { resource: 'https://gateway.example.evil.example/v1/completions' }],
  ['a host behind a user name', { resource: 'https://gateway.example@evil.example/v1/completions' }],
])('signs for no resource with %s', (_, change) => {
  expect(refused(change)).toContain('is on another host');
});

it.each([
  ['payTo', '--pay-to'],
  ['asset', '--asset'],
] as const)('says of another %s whether the target changed it or %s named it', (field, option) => {
  const address = `0x${'01'.repeat(20)}`;
  expect(refused({}, { [field]: address })).toBe(`${field} changed: ${offer[field]} is not ${address}`);
  expect(refused({}, { [field]: address, pins: { [field]: address } })).toBe(
    `${field} ${offer[field]} is not the one given by ${option}, ${address}`,
  );
});
