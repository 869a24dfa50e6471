import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bench, type Executed, startBench } from '../testing/settlement/settlement.ts';
import { systemClock } from '../types/clock.ts';

// Payments whose windows have ended do not delay others (D-430).

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());

it('Expired payments are concluded together, also if a transaction carries one payment', async () => {
  const settling = await bench.openSettling({ limits: { batchMax: 1 } });
  const { store, settler } = settling;
  const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
  const late: Executed[] = [];
  for (let each = 0; each < 20; each += 1) late.push(await settling.executed({ validBefore }));
  const good = await settling.executed();
  let claims = 0;
  const { claimExecuted } = store;
  Object.assign(store, {
    claimExecuted(...parameters: Parameters<typeof claimExecuted>) {
      claims += 1;
      return claimExecuted(...parameters);
    },
  });
  const expired = late.map(({ payment }) => settler.settle(payment));
  expect(await settler.settle(good.payment)).toMatchObject({ state: 'settled' });
  expect(claims).toBeLessThan(late.length);
  const refused = { state: 'refused', reason: 'payment_expired' };
  expect(await Promise.all(expired)).toEqual(late.map(() => refused));
});
