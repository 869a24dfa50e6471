import { setTimeout as after } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from './scenario.ts';

import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The client leaves';
/** A gateway notices a connection that ended long before. */
const noticedWithinMs = 300;
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];

export const disconnects: readonly Scenario[] = stores.flatMap((store) => [
  {
    group,
    name: 'while the model is at it, for good',
    store,
    ...(store === 'sqlite' && {
      fast: 'D-22: a client that leaves before the answer is there cancels the model and is not charged',
    }),
    run: (context: ScenarioContext) => leaveBefore(context, true),
  },
  {
    group,
    name: 'while the model is at it, and comes back',
    store,
    run: (context: ScenarioContext) => leaveBefore(context, false),
  },
  {
    group,
    name: 'while one other waits for the same work',
    store,
    async run(context: ScenarioContext) {
      const gateway = await context.start();
      const payment = await context.buyers.sign();
      const answer = Promise.withResolvers<void>();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await answer.promise;
        return 'answers';
      };
      const left = new AbortController();
      const leaving = context.buyers.send(gateway.chat, payment, { leaves: left.signal });
      await modelIsAtIt(context);
      const staying = context.buyers.send(gateway.chat, payment);
      // The other is known to wait when the gateway answers something that came after it.
      await fetch(`${gateway.url}/health`);
      left.abort();
      await leaving;
      await after(noticedWithinMs);
      answer.resolve();
      const seen = await staying;
      context.check(seen.kind === 'answer' && seen.status === 200, 'the one who stayed was not served');
      context.check(context.upstream.inferences.length === 1, 'the model ran twice');
    },
  },
  {
    group,
    name: 'when the answer is there and the settlement is not, for good',
    store,
    run: (context: ScenarioContext) => leaveAfter(context, true),
  },
  {
    group,
    name: 'when the answer is there and the settlement is not, and comes back',
    store,
    ...(store === 'sqlite' && {
      fast: 'D-19: a client that left when its answer was there gets that answer with the same payment',
    }),
    run: (context: ScenarioContext) => leaveAfter(context, false),
  },
]);

/** Nothing is charged; the same authorization is as good as before (D-36). */
async function leaveBefore(context: ScenarioContext, forGood: boolean): Promise<void> {
  const gateway = await context.start();
  const payment = await context.buyers.sign();
  context.upstream.conduct = ({ number }) => (number === 1 ? 'hangs' : 'answers');
  const left = new AbortController();
  const leaving = context.buyers.send(gateway.chat, payment, { leaves: left.signal });
  await modelIsAtIt(context);
  left.abort();
  await leaving;
  payment.isGivenUp = forGood;
  const isCancelled = () => context.upstream.inferences[0]?.state === 'cancelled';
  await context.until(isCancelled, 'the model goes on for nobody', 1_500);
  const isReleased = async () => (await context.store.payments())[0]?.state === 'released';
  await context.until(isReleased, 'the reservation is not released', 1_500);
  context.check((await context.store.pending()) === 0n, 'something is still held back');
  await context.recover();
  const { length } = context.upstream.inferences;
  context.check(length === (forGood ? 1 : 2), `the model ran ${length} times`);
}

/** It is charged, and whoever has the payment has the answer. */
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
  await context.until(isSettled, 'what was executed is not charged', 5_000);
  const last = payment.seen.at(-1);
  context.check(forGood || (last?.kind === 'answer' && last.isReplayed), 'the answer was not replayed');
  context.check(context.upstream.inferences.length === 1, 'the model ran again');
}

async function modelIsAtIt({ until, upstream }: ScenarioContext): Promise<void> {
  await until(() => upstream.inferences.length > 0, 'the model was not asked', 5_000);
}
