import { describe, expect, it } from 'vitest';
import { configSchema } from './schema.ts';

const listFaults = (settings: object) =>
  configSchema
    .safeParse(settings)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

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
    [{ feeGweiMax: 1e300 }, /^feeGweiMax: /],
    [{ priorityFeeGwei: 1e300 }, /^priorityFeeGwei: /],
    [{ upstreamPauseMs: 60_001 }, /^upstreamPauseMsMax: must be at least advanced\.upstreamPauseMs$/],
  ])('%j give one error', (settings, fault) => {
    expect(listFaults(settings)).toEqual([expect.stringMatching(fault)]);
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
