import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { startTestFacilitator } from '../testing/facilitator/fake-facilitator.ts';
import { type Bench, price, type SettlingOptions, startBench } from '../testing/settlement/settlement.ts';
import { type Clock, systemClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';

// The wall clock was set back after the gateway accepted a payment. The chain's time decides (D-139).

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());

const hourSeconds = 3_600;
const minutes = 600n;
const limits = { idleMs: 20 };

/** A clock that an operator or NTP sets back by an hour, on call. */
function correctedClock(): Clock & { setBack(): void } {
  let back = 0;
  return {
    ...systemClock,
    nowSeconds: () => unixSeconds(systemClock.nowSeconds() - back),
    setBack() {
      back = hourSeconds;
    },
  };
}

async function executedBeforeTheCorrection(options: SettlingOptions = {}) {
  const clock = correctedClock();
  const settling = await bench.openSettling({ settlementWaitMs: 5_000, limits, clock, ...options });
  // Clients of x402 sign windows that began ten minutes ago.
  const now = BigInt(systemClock.nowSeconds());
  clock.setBack();
  const { payment } = await settling.executed({ validAfter: now - minutes, validBefore: now + minutes });
  return { settling, payment };
}

it('A relayer settles a payment whose window has not begun by the corrected clock', async () => {
  const before = await bench.balanceOf(bench.devnet.payTo);
  const { settling, payment } = await executedBeforeTheCorrection();
  expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price);
});

it('A facilitator settles it too', async () => {
  const facilitator = await startTestFacilitator(bench.devnet);
  const { settling, payment } = await executedBeforeTheCorrection({ through: { url: facilitator.url } });
  expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  await settling.close();
  await facilitator.close();
});

it('A payment that expires on the chain is refused, although no relayer has ether', async () => {
  const { settling, payment } = await executedBeforeTheCorrection({ gasFunds: 0n });
  await ask(bench.rpc, 'evm_increaseTime', [Number(minutes) * 2]);
  await ask(bench.rpc, 'evm_mine', []);
  expect(await settling.settler.settle(payment)).toEqual({ state: 'refused', reason: 'payment_expired' });
});
