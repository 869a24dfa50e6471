import { atomicAmount } from '../types/units.ts';
import { type Payment, readStatus, type Seen } from './buyers.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { price } from './scenario-context.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'A limit is reached';
const crowd = 12;
const slots = 4;
const noticedMs = 10_000;
/** The model is held until all others are refused. */
const patient = { inferenceTimeoutMs: 20_000 };

export const limitFaults: readonly Scenario[] = [
  {
    group,
    name: `one payer sends ${crowd} requests at once, and may have ${slots}; another payer buys meanwhile`,
    fast: 'serves another payer while one sends more requests at once than it may (D-313)',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start({ settings: { payerInferencesMax: slots, ...patient } });
      const release = holdInferences(context);
      const other = await context.buyers.sign({
        payer: await context.chain.devnet.fundPayer(atomicAmount(price)),
      });
      const crowded = await context.buyers.signMany(crowd);
      const sent = crowded.map((payment) => context.buyers.send(gateway.chat, payment));
      await untilRefused(context, crowded, crowd - slots);
      const bought = context.buyers.send(gateway.chat, other);
      await untilInferences(context, slots + 1);
      release();
      await Promise.all(sent);
      context.check(readStatus(await bought) === 200, 'the other payer was not served');
      checkOverloaded(context, crowded, crowd - slots);
      await context.checkAllServed();
    },
  },
  {
    group,
    name: `a model runs ${slots} requests at once, and ${slots} may wait; ${crowd} payers send one each`,
    store: 'sqlite',
    async run(context) {
      const settings = {
        upstreamConnections: slots,
        waitingInferencesMax: slots,
        ...patient,
      };
      const gateway = await context.start({ settings: { ...settings, inferenceWaitMs: 10_000 } });
      const release = holdInferences(context);
      const payments: Payment[] = [];
      for (let each = 0; each < crowd; each++) {
        const payer = await context.chain.devnet.fundPayer(atomicAmount(price));
        payments.push(await context.buyers.sign({ payer }));
      }
      const sent = payments.map((payment) => context.buyers.send(gateway.chat, payment));
      await untilRefused(context, payments, crowd - 2 * slots);
      await untilInferences(context, slots);
      release();
      await Promise.all(sent);
      checkOverloaded(context, payments, crowd - 2 * slots);
      await context.checkAllServed();
    },
  },
  {
    group,
    name: `${crowd} payments of one payer come to two gateways in turn, which may sell ${slots} together`,
    store: 'postgres',
    async run(context) {
      const settings = { payerRateLimit: { requestsMax: slots, windowSeconds: 600 } };
      const gateways = [await context.start({ settings }), await context.start({ settings })];
      const payments = await context.buyers.signMany(crowd);
      for (const [at, payment] of payments.entries())
        await context.buyers.send(gateways[at % gateways.length]?.chat ?? '', payment);
      const served = payments.filter(({ seen: [first] }) => first && readStatus(first) === 200);
      context.check(served.length === slots, `${served.length} payments were admitted instead of ${slots}`);
      // The others would be served in the next window.
      for (const payment of payments) payment.isGivenUp = !served.includes(payment);
    },
  },
  {
    group,
    name: 'the rate limits of a shared store hang, and later respond',
    store: 'postgres',
    async run(context) {
      const settings = { payerRateLimit: { requestsMax: 600, windowSeconds: 60 } };
      const gateway = await context.start({ settings });
      await context.store.query('BEGIN');
      await context.store.query('LOCK TABLE rate_window IN ACCESS EXCLUSIVE MODE');
      const payments = await context.buyers.signMany(slots);
      const seen = await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      context.check(
        seen.every((each) => readStatus(each) === 200),
        'a buyer was not served meanwhile',
      );
      const isAlone = async () => (await readReady(gateway.url)).includes('count this gateway alone');
      const isAloneAfterSale = async () => {
        await context.buyers.send(gateway.chat, await context.buyers.sign());
        return isAlone();
      };
      await context.until(isAloneAfterSale, '/ready does not say that the gateway counts alone', noticedMs);
      await context.store.query('COMMIT');
      const isShared = async () => {
        await context.buyers.send(gateway.chat, await context.buyers.sign());
        return !(await isAlone()) && (await context.store.query('SELECT 1 FROM rate_window')).length > 0;
      };
      await context.until(isShared, 'the limits are not shared again', noticedMs);
      await context.checkAllServed();
    },
  },
];

/** Holds all inferences until the returned function is called. */
function holdInferences(context: ScenarioContext): () => void {
  const { promise, resolve } = Promise.withResolvers<UpstreamConduct>();
  context.upstream.conduct = () => promise;
  return () => resolve('responds');
}

async function untilRefused(context: ScenarioContext, payments: readonly Payment[], count: number) {
  const refused = () => payments.filter(({ seen }) => seen.length > 0).length === count;
  await context.until(refused, `not exactly ${count} requests were refused`, noticedMs);
}

async function untilInferences(context: ScenarioContext, count: number) {
  const runs = () => context.upstream.inferences.length === count;
  await context.until(runs, `the model does not run ${count} requests`, noticedMs);
}

/** The refused buyers got 503 `overloaded`, and the gateway reserved and charged nothing for them. */
function checkOverloaded(context: ScenarioContext, payments: readonly Payment[], count: number): void {
  const refused = payments.filter(({ seen: [first] }) => first !== undefined && isOverloaded(first));
  context.check(refused.length === count, `${refused.length} instead of ${count} buyers got overloaded`);
}

function isOverloaded(seen: Seen): boolean {
  return seen.kind === 'response' && seen.status === 503 && seen.code === 'overloaded';
}

async function readReady(url: string): Promise<string> {
  return (await fetch(new URL('/ready', url))).text();
}
