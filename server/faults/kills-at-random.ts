import { setTimeout as after } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from './scenario.ts';

import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const rounds = 6;
const buyersMax = 6;
/** A payment takes about this long from end to end, so that a kill may meet it anywhere. */
const lifeMsMax = 120;
const inferenceMsMax = 30;

type Weather = {
  readonly name: string;
  readonly chain?: Scenario['chain'];
};

const weathers: readonly Weather[] = [
  { name: 'blocks at once, first series' },
  { name: 'blocks at once, second series' },
  { name: 'blocks at once, third series' },
  { name: 'a block a second', chain: { blockTimeSeconds: 1, history: 'kept' } },
];

/** Killed at no point in particular, again and again, while payments come in; one in four ends by SIGTERM. */
export const killsAtRandom: readonly Scenario[] = (['sqlite', 'postgres'] as const).flatMap((store) =>
  weathers.map((weather) => scenarioOf(weather, store)),
);

function scenarioOf({ name, chain }: Weather, store: StoreKind): Scenario {
  return {
    group: 'Killed at random moments',
    name: `${rounds} kills, ${name}`,
    store,
    recoveryMs: 45_000,
    ...(chain && { chain }),
    async run(context) {
      // Drawn before anything runs: what comes in which order must not change the choices.
      const lives = Array.from({ length: rounds }, () => drawLife(context.random, chain !== undefined));
      const moods = Array.from({ length: rounds * buyersMax }, () => drawMood(context.random));
      context.upstream.conduct = async ({ prompt }): Promise<UpstreamConduct> => {
        const mood = moods[Number(prompt.split(' ')[1]) - 1];
        await after(mood?.pauseMs);
        // Once; who asks again is answered.
        const isFirst = context.upstream.inferences.filter((each) => each.prompt === prompt).length === 1;
        return mood?.fails && isFirst ? 'fails' : 'answers';
      };
      for (const life of lives) await liveAndDie(context, life);
      await context.everybodyIsServed();
    },
  };
}

type Life = {
  /** When each buyer comes, after the start. */
  readonly arrivalsMs: readonly number[];
  readonly endMs: number;
  readonly signal: NodeJS.Signals;
};

function drawLife(random: () => number, isSlow: boolean): Life {
  const buyers = 1 + Math.floor(random() * buyersMax);
  return {
    arrivalsMs: Array.from({ length: buyers }, () => random() * lifeMsMax),
    endMs: random() * lifeMsMax * (isSlow ? 10 : 2),
    signal: random() < 0.25 ? 'SIGTERM' : 'SIGKILL',
  };
}

function drawMood(random: () => number): { readonly pauseMs: number; readonly fails: boolean } {
  return { pauseMs: random() * inferenceMsMax, fails: random() < 0.1 };
}

async function liveAndDie(
  { start, buyers }: ScenarioContext,
  { arrivalsMs, endMs, signal }: Life,
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
