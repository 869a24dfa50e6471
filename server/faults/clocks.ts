import { setTimeout as after } from 'node:timers/promises';
import { systemClock } from '../types/clock.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The clock of the gateway';
const offSeconds = 60;
const hourSeconds = 3_600;
const beganSecondsAgo = 600;
/** Several rounds of the maintenance loop. */
const leaseRoundsMs = 1_000;
/** The x402 reason for a payment that expires too soon. */
const tooLate = 'invalid_exact_evm_payload_authorization_valid_before';

export const clocks: readonly Scenario[] = [
  ...[offSeconds, -offSeconds].map(
    (clockAheadSeconds): Scenario => ({
      group,
      name: `is ${offSeconds} s ${clockAheadSeconds > 0 ? 'ahead' : 'behind'}`,
      store: 'sqlite',
      async run(context) {
        const gateway = await context.start({ steering: { clockAheadSeconds } });
        const payments = await context.buyers.signMany(5);
        await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
        await context.checkAllServed();
        checkNoSecondOffer(context);
      },
    }),
  ),
  ...[hourSeconds, -hourSeconds].map(
    (clockStepSeconds): Scenario => ({
      group,
      name: `steps by ${clockStepSeconds} s during inference`,
      store: 'sqlite',
      ...(clockStepSeconds > 0 && {
        fast: 'serves a payment when the clock steps beyond every lease (D-139)',
      }),
      async run(context) {
        const gateway = await context.start({ steering: { clockStepSeconds } });
        context.upstream.conduct = async (): Promise<UpstreamConduct> => {
          gateway.signal('SIGUSR2');
          await after(leaseRoundsMs);
          return 'responds';
        };
        // Clients of x402 sign windows that began ten minutes ago.
        const validAfter = systemClock.nowSeconds() - beganSecondsAgo;
        const payment = await context.buyers.sign({ change: { validAfter } });
        const seen = await context.buyers.send(gateway.chat, payment);
        context.check(seen.kind === 'response' && seen.status === 200, 'the payment was not served');
        context.check(context.upstream.inferences.length === 1, 'the model ran again');
      },
    }),
  ),
  {
    group,
    name: 'of another gateway on the same store is an hour ahead',
    store: 'postgres',
    async run(context) {
      await context.start({ steering: { clockAheadSeconds: hourSeconds } });
      const gateway = await context.start();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await after(leaseRoundsMs);
        return 'responds';
      };
      const payments = await context.buyers.signMany(5);
      const seen = await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      const served = seen.filter((each) => each.kind === 'response' && each.status === 200).length;
      context.check(
        served === payments.length,
        `${served} of ${payments.length} were served at the first attempt`,
      );
      context.check(context.upstream.inferences.length === payments.length, 'the model ran again');
    },
  },
  {
    group,
    name: `is ${offSeconds} s ahead, and a payment expires within that time`,
    store: 'sqlite',
    async run(context) {
      const seen = await sendEnding(context, offSeconds, offSeconds / 2);
      context.check(
        seen === tooLate,
        `a payment that seems expired was not refused before inference: ${seen}`,
      );
      context.check(context.upstream.inferences.length === 0, 'the model ran for the refused payment');
    },
  },
  {
    group,
    name: `is ${offSeconds} s behind, and a payment has expired by the chain's time`,
    store: 'sqlite',
    async run(context) {
      const seen = await sendEnding(context, -offSeconds, -10);
      context.check(seen === 'payment_expired', `the chain's time did not decide: ${seen}`);
      const inferences = context.upstream.inferences.length;
      context.check(inferences === 1, `the model ran ${inferences} times`);
    },
  },
];

/** Sends one payment that is valid for this long. Returns code or status of the final response. */
async function sendEnding(
  context: ScenarioContext,
  clockAheadSeconds: number,
  validForSeconds: number,
): Promise<string | null> {
  const gateway = await context.start({ steering: { clockAheadSeconds } });
  const validBefore = systemClock.nowSeconds() + validForSeconds;
  const payment = await context.buyers.sign({ change: { validBefore } });
  const seen = await context.buyers.payUntilAnswered(() => gateway.chat, payment, 10_000);
  return seen?.kind === 'response' ? (seen.code ?? String(seen.status)) : null;
}
