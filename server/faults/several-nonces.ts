import type { Payment } from './buyers.ts';
import type { Death } from './dying-store.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { takeRelayerNonce } from './third-party-sender.ts';

const group = 'Several open transactions of one relayer';
const sendMethod = 'eth_sendRawTransaction';
const openMax = 3;
const sentWithinMs = 10_000;
/** Payments gather for a millisecond, so that each gets a transaction of its own. */
const settings = { settlementNextNonceMs: 1 };

const kills: readonly (readonly [Death['moment'], string, Scenario['store']])[] = [
  ['before', 'before the journal has the second one', 'sqlite'],
  ['after', 'between the journal and the broadcast of the second one', 'sqlite'],
  ['after', 'between the journal and the broadcast of the second one', 'postgres'],
];

export const severalNonces: readonly Scenario[] = [
  {
    group,
    name: 'the node drops the lowest, so that a gap remains',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start({ settings });
      context.node.rule = ({ method, earlier }) =>
        method === sendMethod && earlier === 0 ? 'forgets' : 'sound';
      const sent = await sendEach(context, gateway, openMax);
      await settleAll(context, sent);
    },
  },
  {
    group,
    name: 'all are replaced at higher fees',
    store: 'postgres',
    async run(context) {
      const gateway = await context.start({ settings: { ...settings, settlementStuckMs: 4_000 } });
      const sent = await sendEach(context, gateway, openMax);
      const isReplaced = async () =>
        (await countBy(context, 'count(*) - count(DISTINCT relayer_nonce)')) >= openMax;
      await context.until(isReplaced, 'the gateway did not replace each transaction', 20_000);
      await settleAll(context, sent);
    },
  },
  {
    group,
    name: 'a foreign transaction with the same key replaces the middle one',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start({ settings });
      const raws: unknown[] = [];
      context.node.rule = ({ method, params }) => {
        if (method === sendMethod) raws.push(params[0]);
        return 'sound';
      };
      const sent = await sendEach(context, gateway, openMax);
      await takeRelayerNonce(context.chain, raws[1], context.chain.devnet.relayerKey);
      await settleAll(context, sent);
      context.check(raws.length > openMax, 'no payment was sent again');
    },
  },
  ...(['sqlite', 'postgres'] as const).map(
    (store): Scenario => ({
      group,
      name: 'a reorganisation drops two',
      store,
      chain: { history: 'kept' },
      async run(context) {
        const { ask, transfers } = context.chain;
        const height = async () => Number(await ask<string>('eth_blockNumber'));
        const gateway = await context.start({ settings });
        const start = await height();
        await settleAll(context, await sendEach(context, gateway, 2));
        await ask('anvil_reorg', (await height()) - start, []);
        context.check((await transfers()).length === 0, 'the reorganisation dropped nothing');
        await context.until(
          async () => (await transfers()).length === 2,
          'the gateway did not settle the dropped payments again',
        );
      },
    }),
  ),
  ...kills.map(
    ([moment, words, store]): Scenario => ({
      group,
      name: `the gateway is killed ${words}`,
      store,
      ...(moment === 'after' &&
        store === 'sqlite' && {
          fast: 'sends two open transactions after a kill between their broadcasts, and charges once (D-237)',
        }),
      async run(context) {
        const dies = { step: 'submit', moment, nth: 2 } as const;
        const gateway = await context.start({ settings, steering: { dies } });
        const [first] = await sendEach(context, gateway, 1);
        const second = context.buyers.send(gateway.chat, await context.buyers.sign());
        await context.until(() => !gateway.isRunning(), 'the gateway was not killed', sentWithinMs);
        await Promise.all([first, second]);
        const open = await context.store.openNonces();
        context.check(open === (moment === 'after' ? 2 : 1), `${open} nonces were open at the kill`);
        await context.start({ settings });
        await context.checkAllServed();
        checkNoSecondOffer(context);
      },
    }),
  ),
];

/** Stops the blocks, and sends payments until each has an open transaction. */
async function sendEach(
  context: ScenarioContext,
  gateway: GatewayProcess,
  count: number,
): Promise<readonly Promise<unknown>[]> {
  const payments: readonly Payment[] = await context.buyers.signMany(count);
  await context.chain.ask('evm_setAutomine', false);
  const sent: Promise<unknown>[] = [];
  for (const payment of payments) {
    sent.push(context.buyers.send(gateway.chat, payment));
    const isSent = async () => (await countBy(context, 'count(DISTINCT relayer_nonce)')) >= sent.length;
    await context.until(isSent, `the gateway did not open ${sent.length} transactions`, sentWithinMs);
  }
  return sent;
}

/** Mines again, and checks that each buyer is served and no buyer got a second offer. */
async function settleAll(context: ScenarioContext, sent: readonly Promise<unknown>[]): Promise<void> {
  await context.chain.ask('evm_setAutomine', true);
  await context.chain.ask('evm_mine');
  await Promise.all(sent);
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

/** Counts the transactions of the journal by this SQL expression. */
async function countBy({ store }: ScenarioContext, expression: string): Promise<number> {
  const [row] = await store.query(`SELECT ${expression} AS counted FROM chain_tx`);
  return Number(row?.['counted']);
}
