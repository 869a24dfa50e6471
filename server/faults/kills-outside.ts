import type { Conduct, FaultyNode, Rule } from './faulty-node.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Killed from outside, the real program';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const buyersAtOnce = 3;

type Outside = {
  readonly name: string;
  readonly fast?: string;
  /**
   * The payment is executed by then. In a shared store it is sent alone, because reservations would wait for a
   * dead lease.
   */
  readonly isExecuted?: boolean;
  /** Arranges that `kill` is called at the point. */
  readonly arrange: (context: ScenarioContext, kill: () => Promise<void>) => Promise<void> | void;
  /** Runs while no gateway runs. */
  readonly while?: (context: ScenarioContext) => Promise<unknown>;
};

const byCall: readonly Outside[] = [
  ...beforeAndAfter('eth_call', 'the payer is read from the chain'),
  ...[
    ...beforeAndAfter('eth_getTransactionCount', 'the relayer nonce is read'),
    ...beforeAndAfter('eth_sendRawTransaction', 'the transaction is sent and mined'),
    ...beforeAndAfter('eth_getTransactionReceipt', 'the receipt is read'),
  ].map((outside) => ({ ...outside, isExecuted: true })),
];

const others: readonly Outside[] = [
  {
    name: 'during inference',
    arrange({ upstream }, kill) {
      upstream.conduct = async (): Promise<UpstreamConduct> => {
        await kill();
        return 'hangs';
      };
    },
  },
  {
    name: "when the model's response arrives",
    arrange({ upstream }, kill) {
      upstream.conduct = () => {
        setImmediate(() => void kill());
        return 'responds';
      };
    },
  },
  {
    name: 'with a pending transaction, which is mined while no gateway runs',
    isExecuted: true,
    fast: 'finds a transaction that was mined while no gateway ran, and charges once (D-24)',
    async arrange({ chain, node }, kill) {
      await chain.ask('evm_setAutomine', false);
      killAfter(node, 'eth_sendRawTransaction', kill);
    },
    while: ({ chain }) => chain.ask('evm_mine'),
  },
  {
    name: 'with a pending transaction, which the pool drops',
    isExecuted: true,
    async arrange({ chain, node }, kill) {
      await chain.ask('evm_setAutomine', false);
      killAfter(node, 'eth_sendRawTransaction', kill);
    },
    while: ({ chain }) => chain.ask('anvil_dropAllTransactions'),
  },
];

const reply: readonly Scenario[] = stores.map((store) => ({
  group,
  name: 'while the response is sent, and the client does not read it',
  store,
  async run(context: ScenarioContext) {
    const gateway = await context.start();
    const [payment] = await context.buyers.signMany(1);
    if (payment === undefined) return;
    const left = new AbortController();
    await context.buyers.send(gateway.chat, payment, {
      leaves: left.signal,
      async onHeaders() {
        await gateway.kill();
        left.abort();
      },
    });
    context.check(payment.seen.at(-1)?.kind === 'lost', 'the client read the response');
    await context.checkAllServed();
    const last = payment.seen.at(-1);
    context.check(last?.kind === 'response' && last.isReplayed, 'the completion was not a replay');
    context.check(context.upstream.inferences.length === 1, 'the model ran again');
  },
}));

export const killsOutside: readonly Scenario[] = [
  ...stores.flatMap((store) => [...byCall, ...others].map((outside) => createScenario(outside, store))),
  ...reply,
];

function createScenario(
  { name, fast, isExecuted, arrange, while: meanwhile }: Outside,
  store: StoreKind,
): Scenario {
  return {
    group,
    name,
    store,
    ...(fast !== undefined && store === 'sqlite' && { fast }),
    async run(context) {
      const gateway = await context.start();
      const isAlone = store === 'postgres' && isExecuted;
      const payments = await context.buyers.signMany(isAlone ? 1 : buyersAtOnce);
      await arrange(context, () => killOnce(gateway));
      await Promise.all(payments.map((payment) => context.buyers.send(gateway.chat, payment)));
      await context.until(() => !gateway.isRunning(), 'the gateway was not killed', 5_000);
      await meanwhile?.(context);
      await context.checkAllServed();
    },
  };
}

async function killOnce(gateway: GatewayProcess): Promise<void> {
  if (gateway.isRunning()) await gateway.kill();
}

function beforeAndAfter(method: string, words: string): readonly Outside[] {
  return [
    {
      name: `before ${words}`,
      arrange({ node }, kill) {
        node.rule = onFirst(method, async (): Promise<Conduct> => {
          await kill();
          return 'hangs';
        });
      },
    },
    {
      name: `after ${words}`,
      arrange: ({ node }, kill) => killAfter(node, method, kill),
    },
  ];
}

/** Forwards the call to the chain and kills the gateway before the response. */
function killAfter(node: FaultyNode, method: string, kill: () => Promise<void>): void {
  node.rule = onFirst(method, async ({ pass }): Promise<Conduct> => {
    await pass();
    await kill();
    return 'hangs';
  });
}

/** Applies a rule to the first call of a method. All other calls are forwarded. */
function onFirst(method: string, rule: Rule): Rule {
  let isOver = false;
  return (call) => {
    if (isOver || call.method !== method) return 'sound';
    isOver = true;
    return rule(call);
  };
}
