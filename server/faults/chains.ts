import { atomicAmount } from '../types/units.ts';
import { type Payment, readStatus } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { price } from './scenario-context.ts';
import { emptyWallet, payDirectly, takeBack } from './third-party-sender.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The chain and the payer';
const gwei = 1_000_000_000n;
/** Above the first fee of a transaction, below the most that a gateway pays. */
const dearBaseFee = 20n * gwei;

export const chains: readonly Scenario[] = [
  {
    group,
    name: 'a reorganisation drops three settlements',
    store: 'sqlite',
    chain: { history: 'kept' },
    fast: 'settles once more what a reorganisation dropped (D-24)',
    run: (context) => reorganised(context),
  },
  {
    group,
    name: 'a reorganisation drops three settlements while no gateway runs',
    store: 'postgres',
    chain: { history: 'kept' },
    run: (context) => reorganised(context, (gateway) => gateway.kill()),
  },
  {
    group,
    name: 'a settlement is stuck because its fee is too low',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start({ settings: { settlementStuckMs: 500 } });
      const payment = await context.buyers.sign();
      await context.chain.ask('evm_setAutomine', false);
      const first = context.buyers.send(gateway.chat, payment);
      await context.until(
        async () => (await transactions(context)) > 0,
        'the gateway sent no transaction',
        5_000,
      );
      const isReplaced = async () => {
        // The base fee rises before the block, so that the first transaction does not fit.
        await context.chain.ask('anvil_setNextBlockBaseFeePerGas', `0x${dearBaseFee.toString(16)}`);
        await context.chain.ask('evm_mine');
        return (await context.chain.transfers()).length > 0;
      };
      await context.until(isReplaced, 'the gateway did not raise the fee of a stuck settlement', 15_000);
      context.check((await transactions(context)) > 1, 'the settlement was not stuck');
      await first;
      await context.checkAllServed();
      checkNoSecondOffer(context);
    },
  },
  {
    group,
    name: 'the payer empties the wallet during inference',
    store: 'sqlite',
    fast: 'delivers and charges nothing when the payer empties the wallet during inference (D-23)',
    async run(context) {
      await refusedAfter(
        context,
        () => emptyWallet(context.chain, context.chain.devnet.payer),
        'insufficient_funds',
      );
    },
  },
  {
    group,
    name: 'the payer empties the wallet during inference, and fills it again',
    store: 'postgres',
    async run(context) {
      const { payer } = context.chain.devnet;
      const payment = await refusedAfter(
        context,
        () => emptyWallet(context.chain, payer),
        'insufficient_funds',
      );
      await context.chain.devnet.mintTo(payer.address, atomicAmount(price));
      const isServed = async () => readStatus(await context.buyers.send(context.anyUrl(), payment)) === 200;
      await context.until(isServed, 'a payer with new funds was not served with the same payment', 15_000);
      context.check(context.upstream.inferences.length === 1, 'the model ran again');
    },
  },
  {
    group,
    name: 'the payer cancels the authorization during inference',
    store: 'sqlite',
    run: async (context) => {
      await refusedAfter(
        context,
        (payment) => takeBack(context.chain, context.chain.devnet.payer, payment.nonce),
        'authorization_canceled',
      );
    },
  },
  {
    group,
    name: 'the payer sends the authorization to the chain during inference',
    store: 'sqlite',
    fast: 'delivers nothing on any gateway when the payer sends the authorization to the chain itself (D-138)',
    async run(context) {
      const payment = await refusedAfter(
        context,
        async (sent) => {
          sent.mayBeSentElsewhere = true;
          await payDirectly(context.chain, context.chain.devnet.payer, sent);
        },
        'invalid_exact_evm_nonce_already_used',
      );
      const again = await context.buyers.send(context.anyUrl(), payment);
      context.check(readStatus(again) === 402, 'a retry delivered the completion');
    },
  },
  {
    group,
    name: 'the payer sends the authorization to the chain during inference, with acceptThirdPartySenders',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start({ settings: { acceptThirdPartySenders: true } });
      const payment = await context.buyers.sign();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await payDirectly(context.chain, context.chain.devnet.payer, payment);
        return 'responds';
      };
      const seen = await context.buyers.send(gateway.chat, payment);
      context.check(
        readStatus(seen) === 200,
        'the gateway did not accept a payment that the payer sent itself',
      );
      await context.checkAllServed();
    },
  },
];

async function reorganised(
  context: ScenarioContext,
  before?: (gateway: GatewayProcess) => Promise<void>,
): Promise<void> {
  const gateway = await context.start();
  const { ask, transfers } = context.chain;
  const height = async () => Number(await ask<string>('eth_blockNumber'));
  const start = await height();
  for (const payment of await context.buyers.signMany(3)) await context.buyers.send(gateway.chat, payment);
  context.check((await transfers()).length === 3, 'the three payments were not settled');
  await before?.(gateway);
  await ask('anvil_reorg', (await height()) - start, []);
  context.check((await transfers()).length === 0, 'the reorganisation dropped nothing');
  if (before) await context.start();
  await context.until(
    async () => (await transfers()).length === 3,
    'the gateway did not settle the dropped payments again',
  );
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

/** Checks a refusal after inference: no completion, no charge, and a 402 with the reason. */
async function refusedAfter(
  context: ScenarioContext,
  meanwhile: (payment: Payment) => Promise<void>,
  reason: string,
): Promise<Payment> {
  const gateway = await context.start();
  const payment = await context.buyers.sign();
  context.upstream.conduct = async (): Promise<UpstreamConduct> => {
    await meanwhile(payment);
    return 'responds';
  };
  const seen = await context.buyers.payUntilAnswered(() => gateway.chat, payment, 10_000);
  const isSaid = seen?.kind === 'response' && seen.status === 402 && seen.code === reason;
  context.check(isSaid, `the refusal is not a 402 with ${reason}`);
  context.check(
    seen?.kind === 'response' && !seen.body.includes('completion 1'),
    'the gateway delivered the completion',
  );
  context.check(context.upstream.inferences.length === 1, 'the model did not run exactly once');
  return payment;
}

async function transactions({ store }: ScenarioContext): Promise<number> {
  const [row] = await store.query('SELECT count(*) AS signed FROM chain_tx');
  return Number(row?.['signed']);
}
