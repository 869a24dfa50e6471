import { expect, it } from 'vitest';
import { configSchema } from '../config/schema.ts';
import type { AllowanceRequest, AllowanceStore } from '../store/allowances.ts';
import { StoreUnavailable } from '../store/store.ts';
import { manualClock } from '../types/clock.ts';
import type { Address } from '../types/units.ts';
import { openRateLimits } from './open-rate-limits.ts';

const few = { requestsMax: 1, windowSeconds: 60 };
const config = configSchema.parse({
  addressRateLimit: few,
  payerRateLimit: few,
  refusalRateLimit: few,
  probeRateLimit: few,
});
const payer = `0x${'11'.repeat(20)}` as Address;

function open(store: Partial<AllowanceStore>) {
  const clock = manualClock(1_800_000_000);
  const logged: unknown[] = [];
  const note = (line: unknown) => void logged.push(line);
  const log = { info: note, warn: note } as unknown as Parameters<typeof openRateLimits>[1]['log'];
  return { ...openRateLimits(config, { store, clock, log }), clock, logged };
}

it('limits addresses, payers and refusals in a shared store, and probes in memory (D-314)', async () => {
  const asked: AllowanceRequest[] = [];
  const { admitAddress, admitPayer, admitProbe, refusals, clock, warning } = open({
    async takeAllowance(request) {
      asked.push(request);
      return { granted: 0, remaining: 0, endsAt: clock.steadySeconds() };
    },
  });
  expect(await admitAddress('192.0.2.1')).toMatchObject({ admitted: false });
  expect(await admitPayer(payer)).toMatchObject({ retryAfterSeconds: 1 });
  await refusals.count('192.0.2.1');
  expect(asked).toMatchObject([
    { limit: 'address', key: '192.0.2.1', ...few },
    { limit: 'payer', key: payer, ...few },
    { limit: 'refusal', key: '192.0.2.1', ...few },
  ]);
  expect(await admitProbe('192.0.2.1')).toMatchObject({ admitted: true });
  expect(asked).toHaveLength(3);
  expect(warning()).toBeNull();
});

it('limits everything in memory with a store of one process', async () => {
  const { admitAddress, admitPayer, refusals, warning } = open({});
  expect([(await admitAddress('a')).admitted, (await admitAddress('a')).admitted]).toEqual([true, false]);
  expect([await admitPayer(payer), await admitPayer(payer)]).toMatchObject([null, { retryAfterSeconds: 60 }]);
  await refusals.count('a');
  expect(await refusals.findWait('a')).toEqual({ retryAfterSeconds: 60 });
  expect(warning()).toBeNull();
});

it('warns once while it counts alone, and reports that the limits are shared again (D-315)', async () => {
  let isAway = true;
  const { admitAddress, warning, logged, clock } = open({
    async takeAllowance({ wanted }) {
      if (isAway) throw new StoreUnavailable('gone');
      return { granted: wanted, remaining: 9, endsAt: clock.steadySeconds() };
    },
  });
  for (const address of ['a', 'b', 'c']) expect((await admitAddress(address)).admitted).toBe(true);
  expect(warning()).toBe('the rate limits count this gateway alone');
  isAway = false;
  clock.advance(3);
  expect(warning()).toBeNull();
  expect((await admitAddress('a')).admitted).toBe(true);
  expect(logged).toEqual([
    'the rate limits count this gateway alone, because the shared store is slow',
    'the rate limits count all gateways again',
  ]);
});
