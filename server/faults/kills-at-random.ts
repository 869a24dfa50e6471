import { setTimeout as after } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const rounds = 6;
const buyersMax = 6;
/** The usual duration of a payment, so that a kill may happen at any of its steps. */
const paymentMsMax = 120;
const inferenceMsMax = 30;

type ChainMode = {
  readonly name: string;
  readonly chain?: Scenario['chain'];
};

const chainModes: readonly ChainMode[] = [
  { name: 'a block for each transaction, first series' },
  { name: 'a block for each transaction, second series' },
  { name: 'a block for each transaction, third series' },
  { name: 'a block each second', chain: { blockTimeSeconds: 1, history: 'kept' } },
];

/**
 * Gateways that are killed at random moments, again and again, under load. One in four gets SIGTERM instead.
 */
export const killsAtRandom: readonly Scenario[] = (['sqlite', 'postgres'] as const).flatMap((store) =>
  chainModes.map((mode) => createScenario(mode, store)),
);

function createScenario({ name, chain }: ChainMode, store: StoreKind): Scenario {
  return {
    group: 'Killed at random moments',
    name: `${rounds} kills, ${name}`,
    store,
    recoveryMs: 45_000,
    ...(chain && { chain }),
    async run(context) {
      // Drawn before the run, because the order of events must not change the choices.
      const plans = Array.from({ length: rounds }, () => drawRound(context.random, chain !== undefined));
      const behaviours = Array.from({ length: rounds * buyersMax }, () => drawBehaviour(context.random));
      context.upstream.conduct = async ({ prompt }): Promise<UpstreamConduct> => {
        const behaviour = behaviours[Number(prompt.split(' ')[1]) - 1];
        await after(behaviour?.pauseMs);
        // Only the first inference of a prompt fails, a retry succeeds.
        const isFirst = context.upstream.inferences.filter((each) => each.prompt === prompt).length === 1;
        return behaviour?.fails && isFirst ? 'fails' : 'responds';
      };
      for (const plan of plans) await runRound(context, plan);
      await context.checkAllServed();
    },
  };
}

type Round = {
  /** When each buyer arrives, after the start. */
  readonly arrivalsMs: readonly number[];
  readonly endMs: number;
  readonly signal: NodeJS.Signals;
};

function drawRound(random: () => number, isSlow: boolean): Round {
  const buyers = 1 + Math.floor(random() * buyersMax);
  return {
    arrivalsMs: Array.from({ length: buyers }, () => random() * paymentMsMax),
    endMs: random() * paymentMsMax * (isSlow ? 10 : 2),
    signal: random() < 0.25 ? 'SIGTERM' : 'SIGKILL',
  };
}

function drawBehaviour(random: () => number): { readonly pauseMs: number; readonly fails: boolean } {
  return { pauseMs: random() * inferenceMsMax, fails: random() < 0.1 };
}

async function runRound(
  { start, buyers }: ScenarioContext,
  { arrivalsMs, endMs, signal }: Round,
): Promise<void> {
  const gateway = await start();
  const payments = await buyers.signMany(arrivalsMs.length);
  const sent = payments.map(async (payment, place) => {
    await after(arrivalsMs[place]);
    await buyers.send(gateway.chat, payment);
  });
  await after(endMs);
  await gateway.kill(signal);
  await Promise.all(sent);
}
