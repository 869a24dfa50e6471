import { setTimeout as after } from 'node:timers/promises';
import type { Payment } from './buyers.ts';
import type { Call, Conduct, Rule } from './faulty-node.ts';
import { sound } from './faulty-node.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const group = 'The node of the chain';
const crowd = 24;
const fewBuyers = 4;
/** Requests arrive over this time, with the outage in the middle. */
const rushMs = 1_500;
const outageMs = 2_000;
const absenceMs = 10_000;
const sendMethod = 'eth_sendRawTransaction';

const outages: readonly (readonly [Conduct, string])[] = [
  ['hangs', 'hangs'],
  ['fails', 'returns 500'],
  ['babbles', 'returns an HTML page'],
];

/** Longer than the gateway waits before it concludes a payment whose spender no log names. */
const hiddenMs = 25_000;
const hiddenResults: readonly (readonly [readonly string[], string])[] = [
  [['eth_getTransactionReceipt'], 'no receipts'],
  [['eth_getTransactionReceipt', 'eth_getLogs'], 'no receipts and no logs'],
];

export const nodes: readonly Scenario[] = [
  ...outages.map(
    ([conduct, words]): Scenario => ({
      group,
      name: `${words} for ${outageMs / 1000} s under load`,
      store: 'sqlite',
      ...(conduct === 'fails' && {
        fast: 'asks no buyer to pay again while the node fails, and serves all buyers afterwards (D-24)',
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
    name: `is down for ${absenceMs / 1000} s under load`,
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
    name: 'accepts a transaction and drops it, twice',
    store: 'sqlite',
    fast: 'sends a dropped transaction again, and charges once (D-24)',
    run: (context) => withRule(context, forEarly(sendMethod, 2, 'forgets')),
  },
  {
    group,
    name: 'accepts a transaction, but its response is lost',
    store: 'sqlite',
    run: (context) => withRule(context, forEarly(sendMethod, 3, 'loses-response')),
  },
  {
    group,
    name: 'rejects a transaction with "nonce too low"',
    store: 'sqlite',
    run: (context) =>
      withRule(
        context,
        forEarly(sendMethod, 2, { error: { code: -32_000, message: 'nonce too low: next nonce 7' } }),
      ),
  },
  {
    group,
    name: 'returns no receipt of a mined transaction at first',
    store: 'sqlite',
    run: (context) => withRule(context, forEarly('eth_getTransactionReceipt', 10, { result: null })),
  },
  ...hiddenResults.map(
    ([methods, words]): Scenario => ({
      group,
      name: `returns ${words} for ${hiddenMs / 1000} s`,
      store: 'sqlite',
      recoveryMs: 60_000,
      run: (context) => hideResults(context, methods),
    }),
  ),
  {
    group,
    name: 'fails one call in four, in different ways',
    store: 'postgres',
    limit: 'the failing calls depend on their order of arrival, which a seed does not fix',
    run: (context) => withRule(context, atRandom(context.random)),
  },
];

/** A new buyer gets 503 during the outage. Buyers that were served or wait never get a second offer. */
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
    const isTold = seen.kind === 'response' && seen.status === 503;
    context.check(
      isTold,
      `a new buyer got ${seen.kind === 'response' ? seen.status : 'no response'} instead of 503`,
    );
    context.check(inferences().length === 0, "the model ran although the payer's balance was unknown");
    await after(lastsMs);
  });
  await Promise.all(bought);
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

/** A few buyers pay while results are missing, and send the same payments again. */
async function hideResults(context: ScenarioContext, methods: readonly string[]): Promise<void> {
  await context.start();
  const signed = await context.buyers.signMany(fewBuyers);
  context.node.rule = ({ method }) =>
    methods.includes(method) ? { result: method === 'eth_getLogs' ? [] : null } : 'sound';
  await Promise.all(
    signed.map((payment) => context.buyers.payUntilAnswered(context.anyUrl, payment, hiddenMs)),
  );
  checkNoSecondOffer(context);
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

async function withRule(context: ScenarioContext, rule: Rule): Promise<void> {
  await context.start();
  const signed = await context.buyers.signMany(crowd);
  context.node.rule = rule;
  await Promise.all(
    signed.map((payment) => context.buyers.payUntilAnswered(context.anyUrl, payment, 20_000)),
  );
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

/** A second offer could lead to a second charge, because the first payment may still settle (D-24). */
export function checkNoSecondOffer({ buyers, check }: ScenarioContext): void {
  const asked = buyers.payments.filter(({ seen }) =>
    seen.some((each) => each.kind === 'response' && (each.status === 402 || each.status === 401)),
  );
  check(
    asked.length === 0,
    `${asked.length} buyers got a second offer because of a fault that was not theirs`,
  );
}

function forEarly(method: string, times: number, conduct: Conduct): Rule {
  return (call: Call) => (call.method === method && call.earlier < times ? conduct : 'sound');
}

function atRandom(random: () => number): Rule {
  const faults = ['fails', 'babbles', 'loses-response', 'hangs'] as const;
  return () => (random() < 0.25 ? (faults[Math.floor(random() * faults.length)] ?? 'fails') : 'sound');
}
