import { setTimeout as after } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The client leaves';
/** Longer than a gateway needs to notice a closed connection. */
const noticedWithinMs = 300;
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];

export const disconnects: readonly Scenario[] = stores.flatMap((store) => [
  {
    group,
    name: 'during inference, and does not return',
    store,
    ...(store === 'sqlite' && {
      fast: 'cancels the inference and charges nothing when the client leaves during inference (D-22)',
    }),
    run: (context: ScenarioContext) => leaveBefore(context, true),
  },
  {
    group,
    name: 'during inference, and returns',
    store,
    run: (context: ScenarioContext) => leaveBefore(context, false),
  },
  {
    group,
    name: 'during inference, while another request waits for the same payment',
    store,
    async run(context: ScenarioContext) {
      const gateway = await context.start();
      const payment = await context.buyers.sign();
      const response = Promise.withResolvers<void>();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await response.promise;
        return 'responds';
      };
      const left = new AbortController();
      const leaving = context.buyers.send(gateway.chat, payment, { leaves: left.signal });
      await untilInference(context);
      const staying = context.buyers.send(gateway.chat, payment);
      // The other request has reached the gateway when the gateway responds to a later one.
      await fetch(`${gateway.url}/health`);
      left.abort();
      await leaving;
      await after(noticedWithinMs);
      response.resolve();
      const seen = await staying;
      context.check(
        seen.kind === 'response' && seen.status === 200,
        'the request that stayed was not served',
      );
      context.check(context.upstream.inferences.length === 1, 'the model ran twice');
    },
  },
  {
    group,
    name: 'after inference and before settlement, and does not return',
    store,
    run: (context: ScenarioContext) => leaveAfter(context, true),
  },
  {
    group,
    name: 'after inference and before settlement, and returns',
    store,
    ...(store === 'sqlite' && {
      fast: 'replays the completion to a client that left before the settlement (D-19)',
    }),
    run: (context: ScenarioContext) => leaveAfter(context, false),
  },
]);

/** The gateway charges nothing, and the same authorization stays valid (D-36). */
async function leaveBefore(context: ScenarioContext, forGood: boolean): Promise<void> {
  const gateway = await context.start();
  const payment = await context.buyers.sign();
  context.upstream.conduct = ({ number }) => (number === 1 ? 'hangs' : 'responds');
  const left = new AbortController();
  const leaving = context.buyers.send(gateway.chat, payment, { leaves: left.signal });
  await untilInference(context);
  left.abort();
  await leaving;
  payment.isGivenUp = forGood;
  const isCancelled = () => context.upstream.inferences[0]?.state === 'cancelled';
  await context.until(isCancelled, 'the inference was not cancelled', 1_500);
  const isReleased = async () => (await context.store.payments())[0]?.state === 'released';
  await context.until(isReleased, 'the reservation is not released', 1_500);
  context.check((await context.store.pending()) === 0n, "the payer's account still has a reservation");
  await context.recover();
  const { length } = context.upstream.inferences;
  context.check(length === (forGood ? 1 : 2), `the model ran ${length} times`);
}

/** The gateway charges the payment and replays the completion. */
async function leaveAfter(context: ScenarioContext, forGood: boolean): Promise<void> {
  const gateway = await context.start();
  const payment = await context.buyers.sign();
  await context.chain.ask('evm_setAutomine', false);
  const left = new AbortController();
  const leaving = context.buyers.send(gateway.chat, payment, { leaves: left.signal });
  const isSubmitted = async () => (await context.store.payments())[0]?.state === 'submitted';
  await context.until(isSubmitted, 'the payment is not submitted', 5_000);
  left.abort();
  await leaving;
  payment.isGivenUp = forGood;
  await context.recover();
  const isSettled = async () => (await context.store.payments())[0]?.state === 'settled';
  await context.until(isSettled, 'the executed payment was not charged', 5_000);
  const last = payment.seen.at(-1);
  context.check(forGood || (last?.kind === 'response' && last.isReplayed), 'the completion was not replayed');
  context.check(context.upstream.inferences.length === 1, 'the model ran again');
}

async function untilInference({ until, upstream }: ScenarioContext): Promise<void> {
  await until(() => upstream.inferences.length > 0, 'the gateway sent no inference request', 5_000);
}
