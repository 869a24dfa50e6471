import { setTimeout as after } from 'node:timers/promises';
import type { StoreKind } from './store.ts';
import type { Scenario } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';
import type { World } from './world.ts';

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
    run: (world: World) => leaveBefore(world, true),
  },
  {
    group,
    name: 'while the model is at it, and comes back',
    store,
    run: (world: World) => leaveBefore(world, false),
  },
  {
    group,
    name: 'while one other waits for the same work',
    store,
    async run(world: World) {
      const gateway = await world.start();
      const payment = await world.buyers.sign();
      const answer = Promise.withResolvers<void>();
      world.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await answer.promise;
        return 'answers';
      };
      const left = new AbortController();
      const leaving = world.buyers.send(gateway.chat, payment, { leaves: left.signal });
      await modelIsAtIt(world);
      const staying = world.buyers.send(gateway.chat, payment);
      // The other is known to wait when the gateway answers something that came after it.
      await fetch(`${gateway.url}/health`);
      left.abort();
      await leaving;
      await after(noticedWithinMs);
      answer.resolve();
      const seen = await staying;
      world.check(seen.kind === 'answer' && seen.status === 200, 'the one who stayed was not served');
      world.check(world.upstream.inferences.length === 1, 'the model ran twice');
    },
  },
  {
    group,
    name: 'when the answer is there and the settlement is not, for good',
    store,
    run: (world: World) => leaveAfter(world, true),
  },
  {
    group,
    name: 'when the answer is there and the settlement is not, and comes back',
    store,
    ...(store === 'sqlite' && {
      fast: 'D-19: a client that left when its answer was there gets that answer with the same payment',
    }),
    run: (world: World) => leaveAfter(world, false),
  },
]);

/** Nothing is charged; the same authorization is as good as before (D-36). */
async function leaveBefore(world: World, forGood: boolean): Promise<void> {
  const gateway = await world.start();
  const payment = await world.buyers.sign();
  world.upstream.conduct = ({ number }) => (number === 1 ? 'hangs' : 'answers');
  const left = new AbortController();
  const leaving = world.buyers.send(gateway.chat, payment, { leaves: left.signal });
  await modelIsAtIt(world);
  left.abort();
  await leaving;
  payment.isGivenUp = forGood;
  const isCancelled = () => world.upstream.inferences[0]?.state === 'cancelled';
  await world.until(isCancelled, 'the model goes on for nobody', 1_500);
  const isReleased = async () => (await world.store.payments())[0]?.state === 'released';
  await world.until(isReleased, 'the reservation is not released', 1_500);
  world.check((await world.store.pending()) === 0n, 'something is still held back');
  await world.recover();
  const { length } = world.upstream.inferences;
  world.check(length === (forGood ? 1 : 2), `the model ran ${length} times`);
}

/** It is charged, and whoever has the payment has the answer. */
async function leaveAfter(world: World, forGood: boolean): Promise<void> {
  const gateway = await world.start();
  const payment = await world.buyers.sign();
  await world.chain.ask('evm_setAutomine', false);
  const left = new AbortController();
  const leaving = world.buyers.send(gateway.chat, payment, { leaves: left.signal });
  const isSubmitted = async () => (await world.store.payments())[0]?.state === 'submitted';
  await world.until(isSubmitted, 'the payment is not submitted', 5_000);
  left.abort();
  await leaving;
  payment.isGivenUp = forGood;
  await world.recover();
  const isSettled = async () => (await world.store.payments())[0]?.state === 'settled';
  await world.until(isSettled, 'what was executed is not charged', 5_000);
  const last = payment.seen.at(-1);
  world.check(forGood || (last?.kind === 'answer' && last.isReplayed), 'the answer was not replayed');
  world.check(world.upstream.inferences.length === 1, 'the model ran again');
}

async function modelIsAtIt({ until, upstream }: World): Promise<void> {
  await until(() => upstream.inferences.length > 0, 'the model was not asked', 5_000);
}
