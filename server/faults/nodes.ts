import { setTimeout as after } from 'node:timers/promises';
import type { Payment } from './buyers.ts';
import type { Call, Conduct, Rule } from './faulty-node.ts';
import { sound } from './faulty-node.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const group = 'The node of the chain';
const crowd = 24;
/** Requests come in over this time, the outage in the middle of them. */
const rushMs = 1_500;
const outageMs = 2_000;
const absenceMs = 10_000;
const sendMethod = 'eth_sendRawTransaction';

const outages: readonly (readonly [Conduct, string])[] = [
  ['hangs', 'never answers'],
  ['fails', 'answers 500'],
  ['babbles', 'answers with a web page'],
];

export const nodes: readonly Scenario[] = [
  ...outages.map(
    ([conduct, words]): Scenario => ({
      group,
      name: `${words} for ${outageMs / 1000} s under load`,
      store: 'sqlite',
      ...(conduct === 'fails' && {
        fast: 'D-24: while the chain does not answer nobody is asked to pay again, and everybody is served afterwards',
      }),
      async run(context) {
        await context.start();
        await outage(context, outageMs, async (isOver) => {
          context.node.rule = () => conduct;
          await isOver();
          context.node.rule = sound;
        });
      },
    }),
  ),
  {
    group,
    name: `is gone for ${absenceMs / 1000} s under load`,
    store: 'sqlite',
    async run(context) {
      await context.start();
      await outage(context, absenceMs, async (isOver) => {
        await context.node.off();
        await isOver();
        await context.node.on();
      });
    },
  },
  {
    group,
    name: 'says that it took a transaction and forgets it, twice',
    store: 'sqlite',
    fast: 'D-24: a transaction that the node forgot is sent again, and paid once',
    run: (context) => withRule(context, forEarly(sendMethod, 2, 'forgets')),
  },
  {
    group,
    name: 'takes a transaction and its answer is lost',
    store: 'sqlite',
    run: (context) => withRule(context, forEarly(sendMethod, 3, 'loses-answer')),
  },
  {
    group,
    name: 'does not take a transaction and says that its nonce is too low',
    store: 'sqlite',
    run: (context) =>
      withRule(
        context,
        forEarly(sendMethod, 2, { error: { code: -32_000, message: 'nonce too low: next nonce 7' } }),
      ),
  },
  {
    group,
    name: 'has no receipt for what it mined, at first',
    store: 'sqlite',
    run: (context) => withRule(context, forEarly('eth_getTransactionReceipt', 10, { result: null })),
  },
  {
    group,
    name: 'does one call in four wrong, in every way that it can',
    store: 'postgres',
    limit: 'which call goes wrong depends on the order in which they arrive, which a seed does not fix',
    run: (context) => withRule(context, atRandom(context.random)),
  },
];

/** Who comes while the chain cannot be asked is told to come again; whoever was served or waits is never asked to sign anew. */
async function outage(
  context: ScenarioContext,
  lastsMs: number,
  breakIt: (isOver: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const signed = await context.buyers.signMany(crowd);
  const arrivals = signed.map((_, place) => (place * rushMs) / crowd);
  let during: Payment | null = null;
  const bought = signed.map(async (payment, place) => {
    await after(arrivals[place]);
    await context.buyers.send(context.anyUrl(), payment);
  });
  await after(rushMs / 3);
  await breakIt(async () => {
    during = await context.buyers.sign();
    const inferences = () => context.upstream.inferences.filter(({ prompt }) => prompt === during?.prompt);
    const seen = await context.buyers.send(context.anyUrl(), during);
    const isTold = seen.kind === 'answer' && seen.status === 503;
    context.check(
      isTold,
      `whoever came meanwhile saw ${seen.kind === 'answer' ? seen.status : 'nothing'}, not 503`,
    );
    context.check(
      inferences().length === 0,
      'the model ran for a payer whom nobody could ask the chain about',
    );
    await after(lastsMs);
  });
  await Promise.all(bought);
  await context.everybodyIsServed();
  nobodyIsAskedAgain(context);
}

async function withRule(context: ScenarioContext, rule: Rule): Promise<void> {
  await context.start();
  const signed = await context.buyers.signMany(crowd);
  context.node.rule = rule;
  await Promise.all(
    signed.map((payment) => context.buyers.payUntilAnswered(context.anyUrl, payment, 20_000)),
  );
  await context.everybodyIsServed();
  nobodyIsAskedAgain(context);
}

/** An offer to sign anew, to somebody whose first payment may still move, would be a second charge (D-24). */
export function nobodyIsAskedAgain({ buyers, check }: ScenarioContext): void {
  const asked = buyers.payments.filter(({ seen }) =>
    seen.some((each) => each.kind === 'answer' && (each.status === 402 || each.status === 401)),
  );
  check(
    asked.length === 0,
    `${asked.length} buyers were asked to pay again for the trouble of a machine of ours`,
  );
}

function forEarly(method: string, times: number, conduct: Conduct): Rule {
  return (call: Call) => (call.method === method && call.earlier < times ? conduct : 'sound');
}

function atRandom(random: () => number): Rule {
  const faults = ['fails', 'babbles', 'loses-answer', 'hangs'] as const;
  return () => (random() < 0.25 ? (faults[Math.floor(random() * faults.length)] ?? 'fails') : 'sound');
}
