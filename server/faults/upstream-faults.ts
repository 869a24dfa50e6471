import { type Payment, readStatus, type Seen } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'One of two upstreams of a model fails';
/** More payments than the failures in a row after which an upstream rests. */
const crowd = 12;
const failuresMax = 5;
const noticedMs = 10_000;
const settledWithinMs = 5_000;

type Failing = {
  readonly name: string;
  readonly fast?: string;
  readonly conduct: UpstreamConduct;
  readonly isStreamed?: boolean;
};

/** Before anything is shown, the other upstream takes the request, and the buyer notices nothing. */
const failing: readonly Failing[] = [
  {
    name: 'it returns 500',
    fast: 'serves every buyer at the first attempt while one of two upstreams returns 500 (D-311)',
    conduct: 'fails',
  },
  { name: 'it breaks off in the middle of a response', conduct: 'breaks-off' },
  { name: 'it returns half a completion as a whole one', conduct: 'babbles' },
  { name: 'it hangs', conduct: 'hangs' },
  { name: 'it breaks off a stream before its first text', conduct: 'breaks-off', isStreamed: true },
  { name: 'it hangs before the first text of a stream', conduct: 'hangs', isStreamed: true },
];

export const upstreamFaults: readonly Scenario[] = [
  ...failing.map(
    ({ conduct, isStreamed = false, ...rest }): Scenario => ({
      group,
      ...rest,
      store: 'sqlite',
      upstreams: 2,
      async run(context) {
        const settings = { upstreamFailuresMax: failuresMax, inferenceTimeoutMs: 4_000 };
        const gateway = await context.start({ settings });
        context.upstream.conduct = () => conduct;
        const payments = await context.buyers.signMany(crowd, { isStreamed });
        await checkAllBuy(context, gateway, payments);
        const isOver = () => context.upstream.inferences.every(({ state }) => state !== 'under way');
        await context.until(isOver, 'a request is still open at the upstream that fails', noticedMs);
        const [first, second] = context.upstreams.map(({ inferences }) => inferences.length);
        context.check((first ?? 0) > 0, 'the upstream that fails got no request');
        context.check(second === crowd, `the other upstream ran ${second} requests of ${crowd}`);
      },
    }),
  ),
  {
    group,
    name: 'it breaks off a stream after its first text',
    store: 'sqlite',
    upstreams: 2,
    async run(context) {
      const gateway = await context.start({ steering: { hasStreamed: true } });
      const held = Promise.withResolvers<'breaks-off'>();
      for (const each of context.upstreams)
        each.conduct = () => (countInferences(context) === 1 ? { next: () => held.promise } : 'responds');
      const payment = await context.buyers.sign({ isStreamed: true });
      const begun = Promise.withResolvers<void>();
      const sent = context.buyers.send(gateway.chat, payment, { onHeaders: async () => begun.resolve() });
      await Promise.race([begun.promise, sent]);
      const isSettled = async () => (await context.store.payments())[0]?.state === 'settled';
      await context.until(isSettled, 'the payment is not settled', settledWithinMs);
      held.resolve('breaks-off');
      await sent;
      context.check(payment.seen[0]?.kind === 'lost', 'the broken stream looked complete');
      context.check(countInferences(context) === 1, 'another upstream went on with a text that was shown');
      await context.checkAllServed();
      context.check(countInferences(context) === 2, 'the model did not run twice');
    },
  },
  {
    group,
    name: 'it refuses connections, rests, and later returns',
    fast: 'uses an upstream again after its outage (D-312)',
    store: 'sqlite',
    upstreams: 2,
    async run(context) {
      const gateway = await context.start({ settings: { upstreamFailuresMax: failuresMax } });
      await context.upstream.off();
      await checkAllBuy(context, gateway, await context.buyers.signMany(crowd));
      const warning = await readModelsCheck(gateway);
      context.check(warning.includes('upstream 1:'), `/ready does not name the upstream: ${warning}`);
      context.check(await isReady(gateway), 'the gateway is not ready with one upstream');
      await context.upstream.on();
      const isUsed = async () => {
        await context.buyers.send(gateway.chat, await context.buyers.sign());
        return context.upstream.inferences.length > 1;
      };
      await context.until(isUsed, 'the upstream is not used again', noticedMs);
      const hasNoWarning = async () => (await readModelsCheck(gateway)) === '';
      await context.until(hasNoWarning, '/ready still has a warning', noticedMs);
      await checkBothUsed(context, gateway);
      await context.checkAllServed();
    },
  },
  {
    group: 'All upstreams of a model fail',
    name: 'both return 500, rest, and later work again',
    fast: 'sells nothing while all upstreams rest, and charges no payer (D-312)',
    store: 'sqlite',
    upstreams: 2,
    async run(context) {
      const pause = { upstreamPauseMs: 4_000, upstreamPauseMsMax: 4_000 };
      const settings = { upstreamFailuresMax: failuresMax, ...pause };
      const gateway = await context.start({ settings });
      for (const each of context.upstreams) each.conduct = () => 'fails';
      const payments = await context.buyers.signMany(crowd);
      for (const payment of payments) await context.buyers.send(gateway.chat, payment);
      const codes = payments.map(({ seen: [first] }) => describeResult(first));
      context.check(
        codes.every((code) => code === 'upstream_error' || code === 'unavailable'),
        `buyers got ${codes.join(', ')}`,
      );
      context.check(codes.at(-1) === 'unavailable', 'the gateway still sells while both upstreams rest');
      context.check(!(await isReady(gateway)), 'the gateway is ready while both upstreams rest');
      context.check((await context.chain.received()) === 0n, 'a payer was charged');
      for (const each of context.upstreams) each.conduct = () => 'responds';
      await context.until(() => isReady(gateway), 'the gateway does not become ready again', noticedMs);
      await context.checkAllServed();
    },
  },
];

/** Each buyer gets its completion at the first attempt. */
async function checkAllBuy(
  context: ScenarioContext,
  gateway: GatewayProcess,
  payments: readonly Payment[],
): Promise<void> {
  for (const payment of payments.slice(0, crowd / 2)) await context.buyers.send(gateway.chat, payment);
  await Promise.all(payments.slice(crowd / 2).map((payment) => context.buyers.send(gateway.chat, payment)));
  const refused = payments.flatMap(({ seen: [first] }) =>
    first !== undefined && readStatus(first) === 200 ? [] : [describeResult(first)],
  );
  context.check(refused.length === 0, `buyers got ${refused.join(', ')} at the first attempt`);
}

/** Upstreams that work run half of the concurrent requests each. One that is tested runs one at a time. */
async function checkBothUsed(context: ScenarioContext, gateway: GatewayProcess): Promise<void> {
  const held = Promise.withResolvers<UpstreamConduct>();
  for (const each of context.upstreams) each.conduct = () => held.promise;
  const before = context.upstreams.map(({ inferences }) => inferences.length);
  const payments = await context.buyers.signMany(crowd / 2);
  const sent = payments.map((payment) => context.buyers.send(gateway.chat, payment));
  const run = () => context.upstreams.map(({ inferences }, at) => inferences.length - (before[at] ?? 0));
  const isRunning = () => run().reduce((sum, count) => sum + count) === payments.length;
  await context.until(isRunning, 'the upstreams did not get all requests', noticedMs);
  held.resolve('responds');
  await Promise.all(sent);
  const counts = run();
  context.check(
    counts.every((count) => count === payments.length / 2),
    `the upstreams ran ${counts.join(' and ')} requests`,
  );
}

function countInferences({ upstreams }: ScenarioContext): number {
  return upstreams.reduce((sum, { inferences }) => sum + inferences.length, 0);
}

function describeResult(seen: Seen | undefined): string {
  return seen?.kind === 'response' ? (seen.code ?? String(seen.status)) : 'nothing';
}

async function isReady({ url }: GatewayProcess): Promise<boolean> {
  return (await fetch(new URL('/ready', url))).status === 200;
}

/** The detail of the check of models; empty without one. */
async function readModelsCheck({ url }: GatewayProcess): Promise<string> {
  const response = await fetch(new URL('/ready', url));
  const { checks } = (await response.json()) as {
    readonly checks: readonly { readonly name: string; readonly detail?: string }[];
  };
  return checks.find(({ name }) => name === 'models')?.detail ?? '';
}
