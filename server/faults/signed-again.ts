import type { Payment, Seen } from './buyers.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';

const group = 'Buyers who sign again for each attempt';
const atOnce = 20;
const killedWithinMs = 5_000;
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];

/** The audit fails when two authorizations of a purchase are settled, or when it got two completions (D-258). */
export const signedAgain: readonly Scenario[] = [
  ...stores.map((store): Scenario => {
    const gateways = store === 'sqlite' ? 1 : 4;
    return {
      group,
      name: `${atOnce} authorizations for one request at the same time, ${gateways} gateway${gateways === 1 ? '' : 's'}`,
      store,
      fast: `pays once for ${atOnce} authorizations at the same time on ${store} (D-258)`,
      async run(context) {
        const urls: string[] = [];
        for (let at = 0; at < gateways; at++) urls.push((await context.start()).chat);
        const payment = await context.buyers.sign({ signsAgain: true });
        const sent: Promise<Seen>[] = [];
        for (let at = 0; at < atOnce; at++) {
          if (at > 0) await payment.signAgain?.();
          sent.push(context.buyers.send(urls[at % gateways] ?? '', payment));
        }
        await Promise.all(sent);
        await context.checkAllServed();
        checkOneInference(context);
      },
    };
  }),
  {
    group,
    name: 'the chain stops while the payment settles',
    store: 'sqlite',
    fast: 'pays once when a buyer signs again after settlement_pending (D-258)',
    async run(context) {
      const gateway = await context.start({ settings: { settlementWaitMs: 200 } });
      await context.chain.ask('evm_setAutomine', false);
      const payment = await context.buyers.sign({ signsAgain: true });
      await context.buyers.payUntilAnswered(() => gateway.chat, payment, 1_000);
      context.check(payment.earlierNonces.length > 0, 'the buyer did not sign again');
      await context.checkAllServed();
      checkOneInference(context);
    },
  },
  ...stores.map(
    (store): Scenario => ({
      group,
      name: 'a kill before the write of the settlement',
      store,
      async run(context) {
        const gateway = await context.start({ steering: { dies: { step: 'settle', moment: 'before' } } });
        const payment = await context.buyers.sign({ signsAgain: true });
        await context.buyers.send(gateway.chat, payment);
        await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
        await context.checkAllServed();
        checkOneInference(context);
      },
    }),
  ),
  {
    group,
    name: 'the buyer leaves while the model works',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      const payment = await context.buyers.sign({ signsAgain: true });
      await leave(context, gateway.chat, payment);
      await context.checkAllServed();
    },
  },
];

/** Leaves while the model works, so that no response is delivered. */
async function leave(context: ScenarioContext, url: string, payment: Payment): Promise<void> {
  const leaving = new AbortController();
  const { conduct } = context.upstream;
  context.upstream.conduct = async (inference) => {
    leaving.abort();
    return conduct(inference);
  };
  await context.buyers.send(url, payment, { leaves: leaving.signal });
}

function checkOneInference({ check, upstream }: ScenarioContext): void {
  check(upstream.inferences.length === 1, `the model ran ${upstream.inferences.length} times`);
}
