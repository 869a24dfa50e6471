import { setTimeout as after } from 'node:timers/promises';
import { Wallet } from 'ethers';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Separate stores with one recipient';
const gatewayCount = 3;
const rounds = 10;
const withinMs = 30_000;
/** How long an inference waits for those of the other gateways. */
const patienceMs = 1_000;

export const separateStores: readonly Scenario[] = [
  {
    group,
    name: `${gatewayCount} gateways with one relayer key, each authorization sent to all of them`,
    store: 'sqlite',
    fast: 'delivers one completion for each transfer of an authorization at three gateways with separate stores (D-138)',
    run: (context) => raced(context, () => Promise.resolve(context.chain.devnet.relayerKey)),
  },
  {
    group,
    name: `${gatewayCount} gateways with different relayer keys, each authorization sent to all of them`,
    store: 'sqlite',
    run: (context) =>
      raced(context, async () => {
        const { address, privateKey } = Wallet.createRandom();
        await context.chain.ask('anvil_setBalance', address, '0xde0b6b3a7640000');
        return privateKey;
      }),
  },
];

async function raced(context: ScenarioContext, relayerKey: () => Promise<string>): Promise<void> {
  const first = await context.start();
  const others: GatewayProcess[] = [];
  for (let place = 1; place < gatewayCount; place++) {
    const environment = { DATABASE_FILE: `other-${place}.db`, RELAYER_KEY: await relayerKey() };
    others.push(await context.start({ environment }));
  }
  const gateways = [first, ...others];
  context.upstream.conduct = together();
  for (const payment of await context.buyers.signMany(rounds)) {
    payment.mayBeSentElsewhere = true;
    await Promise.all(
      gateways.map(({ chat }) => context.buyers.payUntilAnswered(() => chat, payment, withinMs)),
    );
    const sold = payment.seen.filter((seen) => seen.kind === 'response' && seen.status === 200).length;
    const transfers = (await context.chain.transfers()).filter(({ nonce }) => nonce === payment.nonce).length;
    context.check(transfers === 1, `${payment.prompt} was settled ${transfers} times`);
    context.check(sold === 1, `${payment.prompt} was delivered ${sold} times for ${transfers} transfers`);
  }
  context.check(context.upstream.inferences.length > rounds, 'the gateways did not run concurrently');
  for (const gateway of others) await gateway.kill();
}

/** Holds inferences until all gateways have reserved the payment. */
function together(): () => Promise<UpstreamConduct> {
  let waiting = 0;
  let all = Promise.withResolvers<void>();
  return async () => {
    const mine = all;
    if (++waiting === gatewayCount) {
      waiting = 0;
      all = Promise.withResolvers<void>();
      mine.resolve();
    }
    await Promise.race([mine.promise, after(patienceMs)]);
    return 'responds';
  };
}
