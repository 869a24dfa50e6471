import { describe, expect, it } from 'vitest';
import { multicallAddress } from '../chain/multicall.ts';
import { listIssues } from './relations.ts';

const listFaults = (settings: object) =>
  listIssues(settings).map(({ path, message }) => `${path.join('.')}: ${message}`);

// Without the check these settings would pass the start and fail every request or payment (D-177).
describe('Settings that contradict each other', () => {
  it.each([
    [
      { offerValiditySeconds: 89 },
      /^offerValiditySeconds: is 89; it must be at least 95: advanced\.inferenceTimeoutMs/,
    ],
    [{ inferenceTimeoutMs: 300_000 }, /^offerValiditySeconds: is 300; it must be at least 335/],
    [
      { bodyBytesMax: 4_194_304, arrivingBytesMax: 2_097_152 },
      /^arrivingBytesMax: must be at least advanced\.bodyBytesMax/,
    ],
    [
      { bodyBytesMax: 4_194_304, heldBytesMax: 2_097_152 },
      /^heldBytesMax: must be at least advanced\.bodyBytesMax/,
    ],
    [
      { corsAllowOrigin: 'https://shop.example\nSet-Cookie: a=b' },
      /^corsAllowOrigin: must be `\*`, `none`, or one origin/,
    ],
    [{ port: 9402, adminAddress: '127.0.0.1:9402' }, /^adminAddress: is the address of the gateway itself/],
    [{ host: '::1', port: 9402, adminAddress: '[::1]:9402' }, /^adminAddress: is the address of the/],
    [{ port: 9402, adminAddress: '[::]:9402' }, /^adminAddress: is the address of the gateway itself/],
    [{ port: 9402, adminAddress: '0.0.0.0:9402' }, /^adminAddress: is the address of the gateway itself/],
    [{ feeGweiMax: 1e300 }, /^feeGweiMax: /],
    [{ priorityFeeGwei: 1e300 }, /^priorityFeeGwei: /],
    [{ upstreamPauseMs: 60_001 }, /^upstreamPauseMsMax: must be at least advanced\.upstreamPauseMs$/],
  ])('%j give one error', (settings, fault) => {
    expect(listFaults(settings)).toEqual([expect.stringMatching(fault)]);
  });

  it.each([
    { port: 9402, adminAddress: '127.0.0.1:9403' },
    { port: 9402, adminAddress: '127.0.0.2:9402' },
    { port: 0, adminAddress: '127.0.0.1:0' },
    { host: '0.0.0.0', publicBaseUrl: 'https://a.example', port: 9402, adminAddress: '[::1]:9402' },
  ])('%j give none', (settings) => {
    expect(listFaults(settings)).toEqual([]);
  });

  it.each([
    'https://lädchen.example',
    'foo',
    'https://shop.example/',
    'https://Shop.example',
    'https://shop.example:443',
  ])('no browser sends the origin %s', (corsAllowOrigin) => {
    const fault = /^corsAllowOrigin: must be `\*`, `none`, or one origin/;
    expect(listFaults({ corsAllowOrigin })).toEqual([expect.stringMatching(fault)]);
  });

  it.each([
    { offerValiditySeconds: 95 },
    { inferenceTimeoutMs: 265_000 },
    { bodyBytesMax: 2_097_152, arrivingBytesMax: 2_097_152 },
    { corsAllowOrigin: 'https://shop.example:8443' },
    { corsAllowOrigin: 'http://[::1]:3000' },
    { corsAllowOrigin: 'chrome-extension://abcdefghij' },
    { corsAllowOrigin: '*' },
    { feeGweiMax: 1e9, priorityFeeGwei: 1e9 },
    { upstreamPauseMs: 60_000 },
  ])('%j are accepted', (settings) => {
    expect(listFaults(settings)).toEqual([]);
  });
});

const payee = `0x${'33'.repeat(20)}`;
const proofLedger = { rpcUrl: 'https://ledger.example', chainId: 31_740, contract: payee };

describe('The contradiction of two settings is reported beside the error of another setting (D-144)', () => {
  const offers = { offerValiditySeconds: 89 };
  const bodies = { bodyBytesMax: 4_194_304, arrivingBytesMax: 2_097_152, heldBytesMax: 2_097_152 };
  const pauses = { upstreamPauseMs: 60_001 };
  const ledgerAsPayee = { chain: { payTo: payee }, proofLedger };

  it.each([
    [{ host: '0.0.0.0', port: 'x' }, 'publicBaseUrl: must be set', 'port'],
    // zod stops at a number with a fraction.
    [{ host: '0.0.0.0', port: 1.5 }, 'publicBaseUrl: must be set', 'port'],
    [{ host: '::', nope: 1 }, 'publicBaseUrl: must be set', ''],
    [{ ...ledgerAsPayee, logLevel: 'LOUD' }, 'chain.payTo: is the address of the proof ledger', 'logLevel'],
    [ledgerAsPayee, 'chain.payTo: is the address of the proof ledger', 'chain.rpcUrl'],
    [
      { chain: { payTo: payee, asset: payee } },
      'chain.payTo: is the address of the token',
      'chain.tokenName',
    ],
    [
      { chain: { payTo: multicallAddress, asset: '0x1' } },
      'chain.payTo: is the address of Multi',
      'chain.asset',
    ],
    [{ ...offers, port: 1.5 }, 'offerValiditySeconds: is 89; it must be at least 95', 'port'],
    [{ ...bodies, port: -1 }, 'arrivingBytesMax: must be at least', 'port'],
    [{ ...bodies, port: -1 }, 'heldBytesMax: must be at least', 'port'],
    [{ ...pauses, chain: 1 }, 'upstreamPauseMsMax: must be at least', 'chain'],
  ])('%j', (settings, contradiction, other) => {
    const faults = listFaults(settings);
    expect(faults).toContainEqual(expect.stringContaining(contradiction));
    expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^${other}: `)));
  });

  it('a setting with an error of its own has no second one', () => {
    expect(listFaults({ host: '0.0.0.0', publicBaseUrl: 'x' })).toHaveLength(1);
    expect(listFaults({ inferenceTimeoutMs: 'x', offerValiditySeconds: 1 })).toHaveLength(1);
  });
});
