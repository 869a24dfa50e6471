import type { Death } from './dying-store.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

import type { StoreKind } from './store.ts';

const group = 'Killed at a step of the store';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const buyersAtOnce = 3;
/** Steps of a payment whose answer is written down. */
const owed: readonly Death['step'][] = ['claimExecuted', 'submit', 'settle', 'closeNonce'];
const killedWithinMs = 5_000;
/** As long as a group of writes takes, and a little more. */
const duringMsMax = 3;

type Point = readonly [Death['moment'], Death['step'], string];

/** The way of a payment that goes well: every step that it leaves in the store. */
const points: readonly Point[] = [
  ['before', 'reserve', 'the reservation'],
  ['during', 'reserve', 'the reservation'],
  ['after', 'reserve', 'the reservation'],
  ['before', 'execute', 'the answer is written down'],
  ['during', 'execute', 'the answer is written down'],
  ['after', 'execute', 'the answer is written down'],
  ['before', 'claimExecuted', 'the relayer claims the payment'],
  ['after', 'claimExecuted', 'the relayer claims the payment'],
  ['before', 'submit', 'the transaction is journaled'],
  ['during', 'submit', 'the transaction is journaled'],
  ['after', 'submit', 'the transaction is journaled'],
  ['before', 'settle', 'the settlement is written down'],
  ['during', 'settle', 'the settlement is written down'],
  ['after', 'settle', 'the settlement is written down'],
  ['before', 'closeNonce', 'the relayer nonce is closed'],
  ['after', 'closeNonce', 'the relayer nonce is closed'],
];

/** One from each side of the inference, and one on each store, run within the tests. */
const fastOnes: Readonly<Record<string, string>> = {
  'after reserve sqlite':
    'D-22: a gateway that dies after the reservation charges nothing for it, and serves the same payment',
  'after submit sqlite': 'D-24: a gateway that dies with a signed settlement sends it after its start, once',
  'before settle postgres':
    'D-24: what a gateway that died had settled and not written down is found by the next one, and paid once',
};

/**
 * Three payments on their way together; the first that comes to the step takes the process with it. In a shared store one
 * alone where it is owed already, for whatever else is reserved then waits 17 s for the lease of the dead.
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
      const isAlone = store === 'postgres' && owed.includes(step);
      const payments = await context.buyers.signMany(isAlone ? 1 : buyersAtOnce);
      await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
      await context.everybodyIsServed();
    },
  })),
);

function fastUnder(moment: Death['moment'], step: Death['step'], store: StoreKind): Pick<Scenario, 'fast'> {
  const fast = fastOnes[`${moment} ${step} ${store}`];
  return fast === undefined ? {} : { fast };
}
