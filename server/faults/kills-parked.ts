import { systemClock } from '../types/clock.ts';
import { boughtBy, type Payment, type SignOptions } from './buyers.ts';
import type { Death } from './dying-store.ts';
import type { Conduct } from './faulty-node.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import { emptyWallet, takeRelayerNonce } from './third-party-sender.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Killed at a step beside the main path';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const moments = ['before', 'after'] as const;
const buyersAtOnce = 3;
const killedWithinMs = 10_000;

type Parked = {
  readonly name: string;
  readonly dies: Omit<Death, 'moment'>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly chain?: Scenario['chain'];
  readonly signed?: () => SignOptions;
  /** Breaks something before the payments are sent. */
  readonly arrange?: (context: ScenarioContext) => Promise<void> | void;
  /** Runs while the payments are under way. */
  readonly meanwhile?: (context: ScenarioContext, sent: Promise<unknown>) => Promise<void>;
  /** The final check; by default all buyers are served. */
  readonly ends?: (context: ScenarioContext) => Promise<void>;
};

/** The shortest remaining validity that the scenario's settings accept, plus one second. */
const shortestWindowSeconds = 8;

const parkedCounts: readonly Parked[] = [
  {
    name: 'the reservation of a failed inference is released',
    dies: { step: 'release' },
    arrange({ upstream }) {
      upstream.conduct = ({ number }) => (number <= buyersAtOnce ? 'fails' : 'responds');
    },
  },
  {
    name: 'a payment with a lost relayer nonce returns to the queue',
    dies: { step: 'requeue' },
    arrange({ node, chain }) {
      node.rule = async ({ method, params, earlier }): Promise<Conduct> => {
        if (method === 'eth_sendRawTransaction' && earlier === 0)
          await takeRelayerNonce(chain, params[0], chain.devnet.relayerKey);
        return 'sound';
      };
    },
  },
  {
    name: 'the replacement of a stuck transaction is written',
    dies: { step: 'submit', nth: 2 },
    settings: { settlementStuckMs: 300 },
    arrange: ({ chain }) => chain.ask('evm_setAutomine', false),
  },
  {
    name: 'a settlement that a reorganisation dropped is reopened',
    dies: { step: 'reopen' },
    chain: { history: 'kept' },
    async meanwhile({ chain }, sent) {
      await sent;
      await chain.ask('anvil_reorg', 1, []);
    },
  },
  {
    name: 'settlements become final',
    dies: { step: 'finalise' },
    async meanwhile({ chain }, sent) {
      await sent;
      await chain.ask('anvil_mine', '0x46', '0x0');
    },
  },
  {
    name: 'a delivered private completion is deleted',
    dies: { step: 'dropCompletion' },
    signed: () => ({ settlementType: 'private' }),
  },
  {
    name: 'a payment without funds is marked failed',
    dies: { step: 'fail' },
    arrange({ upstream, chain }) {
      upstream.conduct = async ({ number }): Promise<UpstreamConduct> => {
        if (number === 1) await emptyWallet(chain, chain.devnet.payer);
        return 'responds';
      };
    },
    ends: checkNoneServed,
  },
  {
    name: 'an expired payment is marked expired',
    dies: { step: 'expire' },
    signed: () => ({ change: { validBefore: systemClock.nowSeconds() + shortestWindowSeconds } }),
    arrange({ node }) {
      node.rule = ({ method }) => (method === 'eth_sendRawTransaction' ? 'forgets' : 'sound');
    },
    async meanwhile({ chain, until }, sent) {
      const end = systemClock.nowSeconds() + shortestWindowSeconds;
      await until(() => systemClock.nowSeconds() > end, 'the clock did not reach the end of the payment');
      await chain.ask('evm_mine');
      await sent;
    },
    ends: checkNoneServed,
  },
];

const leaseKills: readonly Scenario[] = stores.flatMap((store) =>
  moments.map((moment) => ({
    group,
    name: `${moment} a gateway takes its relayer lease at the start`,
    store,
    async run(context: ScenarioContext) {
      const dead = await context.start({ steering: { dies: { step: 'leaseRelayer', moment } } });
      await expectDeath(context, dead);
      const gateway = await context.start();
      await sendAll(context, gateway, await context.buyers.signMany(buyersAtOnce));
      await context.checkAllServed();
    },
  })),
);

const abandonedRelease: Scenario = {
  group,
  name: 'after a gateway released the reservations of a dead gateway',
  store: 'postgres',
  recoveryMs: 45_000,
  async run(context) {
    const first = await context.start({ steering: { dies: { step: 'reserve', moment: 'after' } } });
    const payments = await context.buyers.signMany(buyersAtOnce);
    await sendAll(context, first, payments);
    await expectDeath(context, first);
    const second = await context.start({ steering: { dies: { step: 'releaseAbandoned', moment: 'after' } } });
    await context.until(() => !second.isRunning(), 'the reservations were not released', 25_000);
    await context.checkAllServed();
  },
};

export const killsParked: readonly Scenario[] = [
  ...stores.flatMap((store) =>
    parkedCounts.flatMap((parked) => moments.map((moment) => createScenario(parked, moment, store))),
  ),
  ...leaseKills,
  abandonedRelease,
];

function createScenario(parked: Parked, moment: 'before' | 'after', store: StoreKind): Scenario {
  const { name, dies, settings = {}, chain, signed = () => ({}), arrange, meanwhile, ends } = parked;
  return {
    group,
    name: `${moment} ${name}`,
    store,
    ...(chain && { chain }),
    async run(context) {
      const gateway = await context.start({ settings, steering: { dies: { ...dies, moment } } });
      const payments = await context.buyers.signMany(buyersAtOnce, signed());
      await arrange?.(context);
      const sent = sendAll(context, gateway, payments);
      await (meanwhile?.(context, sent) ?? sent);
      await expectDeath(context, gateway);
      await (ends?.(context) ?? context.checkAllServed());
    },
  };
}

async function sendAll(
  { buyers }: ScenarioContext,
  gateway: GatewayProcess,
  payments: readonly Payment[],
): Promise<void> {
  await Promise.all(payments.map((payment) => buyers.send(gateway.chat, payment)));
}

async function expectDeath(context: ScenarioContext, gateway: GatewayProcess): Promise<void> {
  await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
}

async function checkNoneServed(context: ScenarioContext): Promise<void> {
  await context.recover();
  const { payments } = context.buyers;
  context.check(
    payments.every((payment) => boughtBy(payment) === null),
    'a buyer was served although the payment could not settle',
  );
  const words = payments.map(({ seen }) => seen.at(-1));
  context.check(
    words.every((word) => word?.kind === 'response' && word.status === 402),
    'the last response was not a 402',
  );
  context.check((await context.chain.transfers()).length === 0, 'a payer was charged');
}
