import { setTimeout as after } from 'node:timers/promises';
import type { Payment, SendOptions } from './buyers.ts';
import type { Death } from './dying-store.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { Steering } from './steered-gateway.ts';
import type { StoreKind } from './store.ts';
import { emptyWallet } from './third-party-sender.ts';
import type { LiveConduct, UpstreamConduct } from './upstream.ts';

const group = 'A stream breaks';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const buyersAtOnce = 3;
const killedWithinMs = 5_000;
const settledWithinMs = 5_000;
/** A run that a gateway still has to end by itself, and its write. */
const endedWithinMs = 5_000;
/** A gateway shows the first text of a stream early after it has read a valid stream (D-272). */
const showsEarly: Steering = { hasStreamed: true };
/** How long the store is away. */
const awayMs = 1_500;

type Point = readonly [Death['moment'], Death['step'], string];

const points: readonly Point[] = [
  ['before', 'owe', 'the first text makes the payment owed'],
  ['during', 'owe', 'the first text makes the payment owed'],
  ['after', 'owe', 'the first text made the payment owed'],
  ['before', 'completeOwed', 'the completion of a stream is written'],
  ['after', 'completeOwed', 'the completion of a stream was written'],
];

const killed: readonly Scenario[] = stores.flatMap((store) =>
  points.map(([moment, step, words]) => ({
    group,
    name: `the gateway is killed ${moment} ${words}`,
    store,
    async run(context: ScenarioContext) {
      const dies = { step, moment, duringMs: context.random() * 3 };
      const gateway = await context.start({ steering: { ...showsEarly, dies } });
      const payments = await context.buyers.signMany(buyersAtOnce, { isStreamed: true });
      await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
      await context.checkAllServed();
    },
  })),
);

type Broken = {
  readonly name: string;
  readonly fast?: string;
  run(context: ScenarioContext): Promise<void>;
};

const broken: readonly Broken[] = [
  {
    name: 'the gateway is killed between the settlement and the end of the completion',
    fast: 'makes the completion of a charged stream again after a kill (D-272)',
    async run(context) {
      const { gateway, held } = await hold(context);
      const [first] = await sendHeld(context, gateway);
      await context.until(() => isSettled(context), 'the payment is not settled', settledWithinMs);
      await gateway.kill();
      held.resolve('responds');
      await first;
      await context.checkAllServed();
      context.check(context.upstream.inferences.length === 2, 'the model did not run twice');
    },
  },
  {
    name: 'a repeated run is killed after it took the payment',
    async run(context) {
      const { gateway, held } = await hold(context);
      const [first, payment] = await sendHeld(context, gateway);
      await context.until(() => isSettled(context), 'the payment is not settled', settledWithinMs);
      held.resolve('breaks-off');
      await first;
      await gateway.kill('SIGTERM');
      const second = await context.start({ steering: { dies: { step: 'takeOwed', moment: 'after' } } });
      await context.buyers.send(second.chat, payment);
      await context.until(() => !second.isRunning(), 'the gateway was not killed', killedWithinMs);
      await context.checkAllServed();
    },
  },
  {
    name: 'the model breaks after its first text',
    fast: 'makes the completion again when the model breaks after its first text (D-272)',
    async run(context) {
      const { gateway, held } = await hold(context);
      const [first, payment] = await sendHeld(context, gateway);
      await context.until(() => isSettled(context), 'the payment is not settled', settledWithinMs);
      held.resolve('breaks-off');
      await first;
      context.check(payment.seen[0]?.kind === 'lost', 'the broken stream looked complete');
      await context.checkAllServed();
      context.check(context.upstream.inferences.length === 2, 'the model did not run twice');
    },
  },
  {
    name: 'the model breaks before its first text',
    async run(context) {
      const gateway = await context.start();
      context.upstream.conduct = ({ number }) => (number === 1 ? 'breaks-off' : 'responds');
      const payment = await context.buyers.sign({ isStreamed: true });
      const seen = await context.buyers.send(gateway.chat, payment);
      context.check(seen.kind === 'response' && seen.status === 502, 'the client did not get 502');
      const rows = await context.store.payments();
      context.check(rows[0]?.state === 'released', 'the reservation is not released');
      context.check((await context.chain.received()) === 0n, 'the failed stream was charged');
      await context.checkAllServed();
    },
  },
  {
    name: 'the client leaves after the first text, and does not return',
    run: (context) => leave(context, true),
  },
  {
    name: 'the client leaves after the first text, and returns',
    fast: 'ends the run of a client that left after the first text, and replays it (D-272)',
    run: (context) => leave(context, false),
  },
  {
    name: 'the chain refuses the transfer while the model writes',
    async run(context) {
      const gateway = await context.start({ steering: showsEarly });
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await emptyWallet(context.chain, context.chain.devnet.payer);
        return { next: () => new Promise(() => undefined) };
      };
      const payment = await context.buyers.sign({ isStreamed: true });
      const seen = await context.buyers.send(gateway.chat, payment);
      const isRefused = seen.kind === 'response' && seen.status === 402;
      context.check(isRefused && !seen.body.includes('choices'), 'the refused stream was delivered');
      const isStopped = () => context.upstream.inferences[0]?.state === 'cancelled';
      await context.until(isStopped, 'the model was not stopped', endedWithinMs);
    },
  },
  {
    name: 'the gateway is stopped by SIGTERM, and started again',
    async run(context) {
      const { gateway, held } = await hold(context, { shutdownTimeoutMs: 200 });
      const [first] = await sendHeld(context, gateway);
      await gateway.kill('SIGTERM');
      held.resolve('responds');
      await first;
      const { code } = await gateway.gone;
      context.check(code === 0, `the gateway ended with ${code}`);
      await context.checkAllServed();
    },
  },
];

/** Faults of PostgreSQL and of gateways that share it. */
const shared: readonly Scenario[] = [
  {
    group,
    name: 'one of two gateways is killed, and the client goes to the other',
    store: 'postgres',
    async run(context) {
      const { gateway, held } = await hold(context);
      const other = await context.start();
      const [first, payment] = await sendHeld(context, gateway);
      await gateway.kill();
      held.resolve('responds');
      await first;
      const seen = await context.buyers.send(other.chat, payment);
      const isPending = seen.kind === 'response' && seen.code === 'settlement_pending';
      context.check(isPending, 'the other gateway did not wait for the lease of the first one');
      await context.checkAllServed();
    },
  },
  ...(['the first text', 'the end'] as const).map((moment) => ({
    group,
    name: `the store is away at ${moment} of a stream, and returns`,
    store: 'postgres' as const,
    alone: true,
    async run(context: ScenarioContext) {
      const { power } = context.store;
      if (power === null) throw new Error('The test cannot stop this server.');
      const gateway = await context.start({ steering: showsEarly });
      context.upstream.conduct = async ({ number }): Promise<UpstreamConduct> => {
        if (number > 1) return 'responds';
        if (moment === 'the first text') await power.off();
        const end: LiveConduct['next'] = async () => {
          if (moment === 'the end') {
            await context.until(() => isSettled(context), 'the payment is not settled', settledWithinMs);
            await power.off();
          }
          return 'responds';
        };
        return { next: end };
      };
      const payment = await context.buyers.sign({ isStreamed: true });
      const sent = context.buyers.send(gateway.chat, payment);
      await after(awayMs);
      await power.on();
      await sent;
      await context.checkAllServed();
      context.check(context.upstream.inferences.length === 1, 'the model ran again');
    },
  })),
];

export const streams: readonly Scenario[] = [
  ...killed,
  ...stores.flatMap((store) =>
    broken.map(({ fast, ...rest }) => ({
      group,
      ...rest,
      store,
      ...(fast !== undefined && store === 'sqlite' && { fast }),
    })),
  ),
  ...shared,
];

type Held = PromiseWithResolvers<'responds' | 'breaks-off'>;

/** Starts a gateway. Its first model writes one text, and goes on when `held` says so. */
async function hold(
  context: ScenarioContext,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly gateway: GatewayProcess; readonly held: Held }> {
  const gateway = await context.start({ settings, steering: showsEarly });
  const held: Held = Promise.withResolvers();
  context.upstream.conduct = ({ number }) => (number === 1 ? { next: () => held.promise } : 'responds');
  return { gateway, held };
}

/** Sends one streamed payment. Resolves when its stream has begun, with the rest of the exchange. */
async function sendHeld(
  { buyers }: ScenarioContext,
  { chat }: GatewayProcess,
  options: SendOptions = {},
): Promise<readonly [Promise<unknown>, Payment]> {
  const payment = await buyers.sign({ isStreamed: true });
  const begun = Promise.withResolvers<void>();
  const sent = buyers.send(chat, payment, { ...options, onHeaders: async () => begun.resolve() });
  await Promise.race([begun.promise, sent]);
  return [sent, payment];
}

/** The run ends without its client, and the same payment gets its completion. */
async function leave(context: ScenarioContext, isForGood: boolean): Promise<void> {
  const { gateway, held } = await hold(context);
  const left = new AbortController();
  const [sent, payment] = await sendHeld(context, gateway, { leaves: left.signal });
  left.abort();
  await sent;
  payment.isGivenUp = isForGood;
  held.resolve('responds');
  const isEnded = () => context.upstream.inferences[0]?.state === 'answered';
  await context.until(isEnded, 'the model was stopped', endedWithinMs);
  await context.recover();
  const last = payment.seen.at(-1);
  context.check(
    isForGood || (last?.kind === 'response' && last.isReplayed),
    'the completion was not replayed',
  );
  context.check(context.upstream.inferences.length === 1, 'the model ran again');
}

async function isSettled({ store }: ScenarioContext): Promise<boolean> {
  return (await store.payments())[0]?.state === 'settled';
}
