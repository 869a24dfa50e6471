import { setTimeout as after } from 'node:timers/promises';
import { systemClock } from '../vocabulary/clock.ts';
import { nobodyIsAskedAgain } from './nodes.ts';
import type { Scenario } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';
import type { World } from './world.ts';

const group = 'The clock of the gateway';
const offSeconds = 60;
const hourSeconds = 3_600;
/** Long enough for several rounds of the maintenance loop. */
const leaseRoundsMs = 1_000;
/** The x402 reason of an offer after a payment whose time is nearly over. */
const tooLate = 'invalid_exact_evm_payload_authorization_valid_before';

export const clocks: readonly Scenario[] = [
  ...[offSeconds, -offSeconds].map(
    (clockAheadSeconds): Scenario => ({
      group,
      name: `is ${offSeconds} s ${clockAheadSeconds > 0 ? 'ahead' : 'behind'}`,
      store: 'sqlite',
      async run(world) {
        const gateway = await world.start({ steering: { clockAheadSeconds } });
        const payments = await world.buyers.signMany(5);
        await Promise.all(payments.map((payment) => world.buyers.send(gateway.chat, payment)));
        await world.everybodyIsServed();
        nobodyIsAskedAgain(world);
      },
    }),
  ),
  ...[hourSeconds, -hourSeconds].map(
    (clockStepSeconds): Scenario => ({
      group,
      name: `is corrected by ${clockStepSeconds} s while the model is at it`,
      store: 'sqlite',
      ...(clockStepSeconds > 0 && { fast: 'D-139: a step of the clock beyond every lease is no 500' }),
      async run(world) {
        const gateway = await world.start({ steering: { clockStepSeconds } });
        world.upstream.conduct = async (): Promise<UpstreamConduct> => {
          gateway.signal('SIGUSR2');
          await after(leaseRoundsMs);
          return 'answers';
        };
        const seen = await world.buyers.send(gateway.chat, await world.buyers.sign());
        world.check(seen.kind === 'answer' && seen.status === 200, 'the payment was not served');
        world.check(world.upstream.inferences.length === 1, 'the model ran again');
      },
    }),
  ),
  {
    group,
    name: 'of another gateway on the same store is an hour ahead',
    store: 'postgres',
    async run(world) {
      await world.start({ steering: { clockAheadSeconds: hourSeconds } });
      const gateway = await world.start();
      world.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await after(leaseRoundsMs);
        return 'answers';
      };
      const payments = await world.buyers.signMany(5);
      const seen = await Promise.all(payments.map((payment) => world.buyers.send(gateway.chat, payment)));
      const served = seen.filter((each) => each.kind === 'answer' && each.status === 200).length;
      world.check(served === payments.length, `${served} of ${payments.length} were served at once`);
      world.check(world.upstream.inferences.length === payments.length, 'the model ran again');
    },
  },
  {
    group,
    name: `is ${offSeconds} s ahead, and a payment ends within that time`,
    store: 'sqlite',
    async run(world) {
      const seen = await sendEnding(world, offSeconds, offSeconds / 2);
      world.check(seen === tooLate, `a payment that seems to be over was not refused before work: ${seen}`);
      world.check(world.upstream.inferences.length === 0, 'the model ran for it');
    },
  },
  {
    group,
    name: `is ${offSeconds} s behind, and a payment has ended by the chain's time`,
    store: 'sqlite',
    async run(world) {
      const seen = await sendEnding(world, -offSeconds, -10);
      world.check(seen === 'payment_expired', `the chain's time did not decide: ${seen}`);
      const inferences = world.upstream.inferences.length;
      world.check(inferences === 1, `the model ran ${inferences} times`);
    },
  },
];

/** One payment that is valid for so long from now on; what its buyer is told in the end. */
async function sendEnding(
  world: World,
  clockAheadSeconds: number,
  validForSeconds: number,
): Promise<string | null> {
  const gateway = await world.start({ steering: { clockAheadSeconds } });
  const validBefore = systemClock.nowSeconds() + validForSeconds;
  const payment = await world.buyers.sign({ change: { validBefore } });
  const seen = await world.buyers.insist(() => gateway.chat, payment, 10_000);
  return seen?.kind === 'answer' ? (seen.code ?? String(seen.status)) : null;
}
