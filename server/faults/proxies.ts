import { setTimeout as after } from 'node:timers/promises';
import { boughtBy } from './buyers.ts';
import { type PayingProxy, startPayingProxy } from './paying-proxy.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Buyers through the local proxy';
const kills = 8;
/** The usual duration of a purchase, so that a kill may happen at any of its steps. */
const purchaseMsMax = 200;
const inferenceMs = 50;
const servedWithinMs = 30_000;
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];

/** The audit fails when a purchase is settled twice, or has two completions (D-291). */
export const proxies: readonly Scenario[] = [
  scenario(
    'the proxy is killed during inference',
    'sqlite',
    killDuringInference,
    'proxy is killed during inference',
  ),
  ...stores.map((store) =>
    scenario('the proxy is killed while the payment settles', store, killDuringSettlement),
  ),
  scenario('the tool leaves while the payment settles, and returns', 'sqlite', leaveDuringSettlement),
  scenario('the gateway is killed while the payment settles', 'sqlite', killGateway),
  scenario(`${kills} kills of the proxy at random moments`, 'sqlite', killAtRandom),
];

function scenario(
  name: string,
  store: StoreKind,
  breaks: (context: ScenarioContext, proxy: PayingProxy) => Promise<void>,
  fast?: string,
): Scenario {
  return {
    group,
    name,
    store,
    ...(fast !== undefined && { fast: `pays once when the ${fast} (D-291)` }),
    async run(context) {
      const proxy = await startPayingProxy(context);
      try {
        await breaks(context, proxy);
        proxy.adopt();
        const unserved = context.buyers.payments.filter((payment) => boughtBy(payment) === null);
        context.check(unserved.length === 0, `${unserved.length} tools got no completion`);
      } finally {
        await proxy.close();
      }
    },
  };
}

async function killDuringInference(context: ScenarioContext, proxy: PayingProxy): Promise<void> {
  const { buyers, upstream } = context;
  upstream.conduct = ({ number }): UpstreamConduct => (number === 1 ? 'hangs' : 'responds');
  const tool = await proxy.openTool();
  const lost = buyers.send(proxy.chat(), tool);
  await context.until(() => upstream.inferences.length > 0, 'the gateway sent no inference request', 5_000);
  await proxy.killAndRestart();
  await lost;
  await buyers.payUntilAnswered(proxy.chat, tool, servedWithinMs);
}

async function killDuringSettlement(context: ScenarioContext, proxy: PayingProxy): Promise<void> {
  const { buyers, chain, upstream } = context;
  const tool = await proxy.openTool();
  await chain.ask('evm_setAutomine', false);
  const lost = buyers.send(proxy.chat(), tool);
  await untilSubmitted(context);
  await proxy.killAndRestart();
  await lost;
  await mine(context);
  await buyers.payUntilAnswered(proxy.chat, tool, servedWithinMs);
  context.check(upstream.inferences.length === 1, `the model ran ${upstream.inferences.length} times`);
}

async function leaveDuringSettlement(context: ScenarioContext, proxy: PayingProxy): Promise<void> {
  const { buyers, chain, upstream } = context;
  const tool = await proxy.openTool();
  await chain.ask('evm_setAutomine', false);
  const leaving = new AbortController();
  const lost = buyers.send(proxy.chat(), tool, { leaves: leaving.signal });
  await untilSubmitted(context);
  leaving.abort();
  await lost;
  await mine(context);
  await buyers.payUntilAnswered(proxy.chat, tool, servedWithinMs);
  context.check(upstream.inferences.length === 1, `the model ran ${upstream.inferences.length} times`);
}

async function killGateway(context: ScenarioContext, proxy: PayingProxy): Promise<void> {
  const { buyers, chain, gateways } = context;
  const tool = await proxy.openTool();
  await chain.ask('evm_setAutomine', false);
  const served = buyers.payUntilAnswered(proxy.chat, tool, servedWithinMs);
  await untilSubmitted(context);
  await gateways[0]?.kill();
  await mine(context);
  await context.start();
  await served;
}

async function killAtRandom(context: ScenarioContext, proxy: PayingProxy): Promise<void> {
  const { buyers, random, upstream } = context;
  upstream.conduct = async (): Promise<UpstreamConduct> => {
    await after(inferenceMs);
    return 'responds';
  };
  const delaysMs = Array.from({ length: kills }, () => random() * purchaseMsMax);
  for (const delayMs of delaysMs) {
    const tool = await proxy.openTool();
    const lost = buyers.send(proxy.chat(), tool);
    await after(delayMs);
    await proxy.killAndRestart();
    await lost;
    if (boughtBy(tool) === null) await buyers.payUntilAnswered(proxy.chat, tool, servedWithinMs);
  }
}

async function untilSubmitted({ until, store }: ScenarioContext): Promise<void> {
  const isSubmitted = async () => (await store.payments())[0]?.state === 'submitted';
  await until(isSubmitted, 'the payment is not submitted', 5_000);
}

async function mine({ chain }: ScenarioContext): Promise<void> {
  await chain.ask('evm_setAutomine', true);
  await chain.ask('evm_mine');
}
