import { setTimeout as after } from 'node:timers/promises';
import type { Payment } from './buyers.ts';
import type { Conduct } from './faulty-node.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const group = 'Several gateways on one store';
const processes = 3;
const payments = 60;
/** Requests arrive over this time. */
const rushMs = 1_500;
const withinMs = 60_000;
/** More than enough time for one query of the store. */
const storeMs = 500;

export const takeovers: readonly Scenario[] = [
  {
    group,
    name: `${processes} gateways under load, all but one are killed`,
    store: 'postgres',
    run: (context) =>
      underLoad(context, async ([_last, ...others]) => {
        for (const gateway of others) {
          await after(context.random() * rushMs);
          await gateway.kill();
        }
      }),
  },
  {
    group,
    name: `${processes} gateways under load are replaced one after the other, by SIGTERM`,
    store: 'postgres',
    run: (context) =>
      underLoad(context, async (gateways) => {
        for (const gateway of gateways) {
          await context.start();
          await gateway.kill('SIGTERM');
          const { code } = await gateway.gone;
          context.check(code === 0, `a gateway ended with ${code} after SIGTERM`);
        }
      }),
  },
  {
    group,
    name: 'one payment at two gateways, where one reads the chain after the other has settled the payment',
    store: 'postgres',
    run: readsLate,
  },
];

/**
 * The slow gateway queries the store before the quick one claims the payment, and the chain after the
 * settlement (D-48).
 */
async function readsLate(context: ScenarioContext): Promise<void> {
  // A long timeout, so that the slow gateway waits for the chain.
  const start = () => context.start({ settings: { rpcTimeoutMs: 20_000 } });
  const [slow, quick] = await Promise.all([start(), start()]);
  const payment = await context.buyers.sign();
  const [asked, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  context.node.rule = async ({ method }): Promise<Conduct> => {
    if (method !== 'eth_call' || !isFirst) return 'sound';
    isFirst = false;
    asked.resolve();
    await settled.promise;
    return 'sound';
  };
  const late = context.buyers.send(slow.chat, payment);
  await asked.promise;
  // The slow gateway queries the store at the same time, which leaves no trace in the store (D-140).
  await after(storeMs);
  await context.buyers.send(quick.chat, payment);
  settled.resolve();
  const seen = await late;
  context.check(seen.kind === 'response' && seen.status === 200, 'the payer got a second offer');
  context.check(context.upstream.inferences.length === 1, 'the model ran again');
}

async function underLoad(
  context: ScenarioContext,
  meanwhile: (gateways: readonly GatewayProcess[]) => Promise<void>,
): Promise<void> {
  const gateways = await Promise.all(Array.from({ length: processes }, () => context.start()));
  const signed = await context.buyers.signMany(payments);
  const arrivals = signed.map(() => context.random() * rushMs);
  const bought = signed.map(async (payment: Payment, place) => {
    await after(arrivals[place]);
    await context.buyers.payUntilAnswered(() => anyRunning(context, place), payment, withinMs);
  });
  await meanwhile(gateways);
  await Promise.all(bought);
  await context.checkAllServed();
}

/** Picks a running gateway, as a load balancer would. */
function anyRunning({ gateways, anyUrl }: ScenarioContext, place: number): string {
  const running = gateways.filter((gateway) => gateway.isRunning());
  return running[place % running.length]?.chat ?? anyUrl();
}
