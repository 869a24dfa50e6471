import { atomicAmount } from '../types/units.ts';
import { boughtBy, type Payment } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { price } from './scenario-context.ts';
import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Concurrent requests';
const many = 1_000;
const few = 100;
const affordable = 10;
const withinMs = 60_000;

type Deployment = { readonly store: StoreKind; readonly processes: number; readonly words: string };

const deployments: readonly Deployment[] = [
  { store: 'sqlite', processes: 1, words: 'one gateway' },
  { store: 'postgres', processes: 4, words: 'four gateways on one store and one relayer key' },
];

/** Long timeouts, because a thousand requests slow the machine down. */
const settings = { inferenceTimeoutMs: 30_000, settlementWaitMs: 20_000, rpcTimeoutMs: 10_000 };

export const concurrency: readonly Scenario[] = deployments.flatMap((deployment) => [
  oneAuthorization(deployment, many),
  manyAuthorizations(deployment, many, 'the model waits until all others are refused', true),
  manyAuthorizations(deployment, many, 'the model responds at once', false),
]);

const alone: Deployment = { store: 'sqlite', processes: 1, words: 'one gateway' };

/** The same with fewer requests, for the unit tests. */
export const fastConcurrency: readonly Scenario[] = [
  {
    ...oneAuthorization(alone, few),
    fast: 'runs, settles and delivers once for 100 concurrent requests with one authorization (D-19)',
  },
  {
    ...manyAuthorizations(alone, few, 'the model responds at once', false),
    fast: 'serves ten of 100 concurrent authorizations on a balance for ten (D-21)',
  },
];

function oneAuthorization({ store, processes, words }: Deployment, requests: number): Scenario {
  return {
    group,
    name: `${requests} concurrent requests with one authorization, ${words}`,
    store,
    alone: requests > few,
    async run(context) {
      const gateways = await startAll(context, processes);
      const payment = await context.buyers.sign();
      const asked = Array.from({ length: requests }, (_, place) =>
        context.buyers.payUntilAnswered(() => pickUrl(gateways, place), payment, withinMs),
      );
      const words = await Promise.all(asked);
      const served = words.filter((word) => word?.kind === 'response' && word.status === 200);
      context.check(served.length === requests, `${requests - served.length} of ${requests} were not served`);
      context.check(
        context.upstream.inferences.length === 1,
        `the model ran ${context.upstream.inferences.length} times`,
      );
    },
  };
}

function manyAuthorizations(
  { store, processes, words }: Deployment,
  authorizations: number,
  how: string,
  waits: boolean,
): Scenario {
  const tooMany = authorizations - affordable;
  return {
    group,
    name: `${authorizations} concurrent authorizations on a balance for ${affordable}, ${words}; ${how}`,
    store,
    alone: authorizations > few,
    async run(context) {
      const gateways = await startAll(context, processes);
      const payer = await context.chain.devnet.fundPayer(atomicAmount(BigInt(affordable) * price));
      const payments = await context.buyers.signMany(authorizations, { payer });
      const refused = Promise.withResolvers<void>();
      let refusals = 0;
      if (waits)
        context.upstream.conduct = async (): Promise<UpstreamConduct> => {
          await refused.promise;
          return 'responds';
        };
      const asked = payments.map(async (payment, place) => {
        const word = await context.buyers.payUntilAnswered(() => pickUrl(gateways, place), payment, withinMs);
        const isRefused = word?.kind === 'response' && word.status === 402;
        if (isRefused && ++refusals === tooMany) refused.resolve();
      });
      await Promise.all(asked);
      checkServed(context, payments);
    },
  };
}

function checkServed(context: ScenarioContext, payments: readonly Payment[]): void {
  const served = payments.filter((payment) => boughtBy(payment) !== null).length;
  context.check(served === affordable, `${served} were served on a balance for ${affordable}`);
  const poor = payments.filter((payment) => {
    const last = payment.seen.at(-1);
    return last?.kind === 'response' && last.status === 402 && last.code === 'insufficient_funds';
  }).length;
  const tooMany = payments.length - affordable;
  context.check(poor === tooMany, `${poor} instead of ${tooMany} got insufficient_funds`);
  const { length } = context.upstream.inferences;
  context.check(length === affordable, `the model ran ${length} times`);
}

function startAll(context: ScenarioContext, processes: number): Promise<readonly GatewayProcess[]> {
  return Promise.all(Array.from({ length: processes }, () => context.start({ settings })));
}

function pickUrl(gateways: readonly GatewayProcess[], place: number): string {
  return gateways[place % gateways.length]?.chat ?? '';
}
