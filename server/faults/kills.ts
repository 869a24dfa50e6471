import type { Death } from './dying-store.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';

const group = 'Killed at a step of the store';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const buyersAtOnce = 3;
/** Steps of a payment whose completion is written. */
const executedSteps: readonly Death['step'][] = ['claimExecuted', 'submit', 'settle', 'closeNonce'];
const killedWithinMs = 5_000;
/** The time of a group of writes, and a little more. */
const duringMsMax = 3;

type Point = readonly [Death['moment'], Death['step'], string];

/** The steps of a successful payment that change the store. */
const points: readonly Point[] = [
  ['before', 'reserve', 'the reservation'],
  ['during', 'reserve', 'the reservation'],
  ['after', 'reserve', 'the reservation'],
  ['before', 'execute', 'the write of the completion'],
  ['during', 'execute', 'the write of the completion'],
  ['after', 'execute', 'the write of the completion'],
  ['before', 'claimExecuted', "the relayer's claim of the payment"],
  ['after', 'claimExecuted', "the relayer's claim of the payment"],
  ['before', 'submit', 'the write of the transaction'],
  ['during', 'submit', 'the write of the transaction'],
  ['after', 'submit', 'the write of the transaction'],
  ['before', 'settle', 'the write of the settlement'],
  ['during', 'settle', 'the write of the settlement'],
  ['after', 'settle', 'the write of the settlement'],
  ['before', 'closeNonce', 'the close of the relayer nonce'],
  ['after', 'closeNonce', 'the close of the relayer nonce'],
];

/** Cases before and after the inference, on both stores, that also run in the unit tests. */
const fastOnes: Readonly<Record<string, string>> = {
  'after reserve sqlite': 'serves the same payment after a kill behind the reservation (D-22)',
  'after submit sqlite': 'sends a signed settlement once after a kill and a restart (D-24)',
  'before settle postgres': 'finds the unwritten settlement of a killed gateway, and charges once (D-24)',
};

/**
 * Sends three concurrent payments; the first one at the step ends the process. In a shared store an executed
 * payment is sent alone, because other reservations would wait 17 s for the lease of the dead gateway.
 */
export const kills: readonly Scenario[] = stores.flatMap((store) =>
  points.map(([moment, step, words]) => ({
    group,
    name: `${moment} ${words}`,
    store,
    ...fastUnder(moment, step, store),
    async run(context: ScenarioContext) {
      const duringMs = context.random() * duringMsMax;
      const gateway = await context.start({ steering: { dies: { step, moment, duringMs } } });
      const isAlone = store === 'postgres' && executedSteps.includes(step);
      const payments = await context.buyers.signMany(isAlone ? 1 : buyersAtOnce);
      await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
      await context.checkAllServed();
    },
  })),
);

function fastUnder(moment: Death['moment'], step: Death['step'], store: StoreKind): Pick<Scenario, 'fast'> {
  const fast = fastOnes[`${moment} ${step} ${store}`];
  return fast === undefined ? {} : { fast };
}
