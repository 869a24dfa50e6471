import { atomicAmount } from '../vocabulary/units.ts';
import { type Payment, statusOf } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { nobodyIsAskedAgain } from './nodes.ts';
import type { Scenario } from './scenario.ts';
import { emptyWallet, payDirectly, takeBack } from './stranger.ts';
import type { UpstreamConduct } from './upstream.ts';
import { price, type World } from './world.ts';

const group = 'The chain and the payer';
const gwei = 1_000_000_000n;
/** More than what a transaction offers at first, less than what a gateway may pay. */
const dearBaseFee = 20n * gwei;

export const chains: readonly Scenario[] = [
  {
    group,
    name: 'a reorganisation takes three settlements back',
    store: 'sqlite',
    chain: { history: 'kept' },
    fast: 'D-24: what a reorganisation takes back is settled again, once',
    run: (world) => reorganised(world),
  },
  {
    group,
    name: 'a reorganisation takes three settlements back while no gateway runs',
    store: 'postgres',
    chain: { history: 'kept' },
    run: (world) => reorganised(world, (gateway) => gateway.kill()),
  },
  {
    group,
    name: 'a settlement is stuck at its fee',
    store: 'sqlite',
    async run(world) {
      const gateway = await world.start({ settings: { settlementStuckMs: 500 } });
      const payment = await world.buyers.sign();
      await world.chain.ask('evm_setAutomine', false);
      const first = world.buyers.send(gateway.chat, payment);
      await world.until(async () => (await transactions(world)) > 0, 'nothing was sent', 5_000);
      const isReplaced = async () => {
        // The fee goes up before the block is made, so that what was offered first does not fit.
        await world.chain.ask('anvil_setNextBlockBaseFeePerGas', `0x${dearBaseFee.toString(16)}`);
        await world.chain.ask('evm_mine');
        return (await world.chain.transfers()).length > 0;
      };
      await world.until(isReplaced, 'the fee of a stuck settlement does not go up', 15_000);
      world.check((await transactions(world)) > 1, 'it was not stuck');
      await first;
      await world.everybodyIsServed();
      nobodyIsAskedAgain(world);
    },
  },
  {
    group,
    name: 'the payer empties the wallet during inference',
    store: 'sqlite',
    fast: 'D-23: whoever empties the wallet during inference gets no answer and is not charged',
    async run(world) {
      await refusedAfter(
        world,
        () => emptyWallet(world.chain, world.chain.devnet.payer),
        'insufficient_funds',
      );
    },
  },
  {
    group,
    name: 'the payer empties the wallet during inference, and fills it again',
    store: 'postgres',
    async run(world) {
      const { payer } = world.chain.devnet;
      const payment = await refusedAfter(world, () => emptyWallet(world.chain, payer), 'insufficient_funds');
      await world.chain.devnet.mintTo(payer.address, atomicAmount(price));
      const isServed = async () => statusOf(await world.buyers.send(world.anyUrl(), payment)) === 200;
      await world.until(isServed, 'whoever can pay again is not served with the same payment', 15_000);
      world.check(world.upstream.inferences.length === 1, 'the model ran again');
    },
  },
  {
    group,
    name: 'the payer cancels the authorization during inference',
    store: 'sqlite',
    run: async (world) => {
      await refusedAfter(
        world,
        (payment) => takeBack(world.chain, world.chain.devnet.payer, payment.nonce),
        'authorization_canceled',
      );
    },
  },
  {
    group,
    name: 'the payer sends the authorization to the chain during inference',
    store: 'sqlite',
    fast: 'D-138: a payment that the payer sends to the chain itself buys nothing, on whichever gateway',
    async run(world) {
      const payment = await refusedAfter(
        world,
        async (sent) => {
          sent.mayBeSentElsewhere = true;
          await payDirectly(world.chain, world.chain.devnet.payer, sent);
        },
        'invalid_exact_evm_nonce_already_used',
      );
      const again = await world.buyers.send(world.anyUrl(), payment);
      world.check(statusOf(again) === 402, 'it was delivered when it was sent again');
    },
  },
  {
    group,
    name: 'the payer sends the authorization to the chain during inference, and the operator takes that for payment',
    store: 'sqlite',
    async run(world) {
      const gateway = await world.start({ settings: { acceptThirdPartySenders: true } });
      const payment = await world.buyers.sign();
      world.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await payDirectly(world.chain, world.chain.devnet.payer, payment);
        return 'answers';
      };
      const seen = await world.buyers.send(gateway.chat, payment);
      world.check(statusOf(seen) === 200, 'a payment that the payer sent itself is not taken');
      await world.everybodyIsServed();
    },
  },
];

async function reorganised(world: World, before?: (gateway: GatewayProcess) => Promise<void>): Promise<void> {
  const gateway = await world.start();
  const { ask, transfers } = world.chain;
  const height = async () => Number(await ask<string>('eth_blockNumber'));
  const start = await height();
  for (const payment of await world.buyers.signMany(3)) await world.buyers.send(gateway.chat, payment);
  world.check((await transfers()).length === 3, 'the three were not settled');
  await before?.(gateway);
  await ask('anvil_reorg', (await height()) - start, []);
  world.check((await transfers()).length === 0, 'the reorganisation took nothing back');
  if (before) await world.start();
  await world.until(async () => (await transfers()).length === 3, 'what was taken back is not settled again');
  await world.everybodyIsServed();
  nobodyIsAskedAgain(world);
}

/** The one refusal after work was done: nothing is delivered, nothing charged, and the reason is said. */
async function refusedAfter(
  world: World,
  meanwhile: (payment: Payment) => Promise<void>,
  reason: string,
): Promise<Payment> {
  const gateway = await world.start();
  const payment = await world.buyers.sign();
  world.upstream.conduct = async (): Promise<UpstreamConduct> => {
    await meanwhile(payment);
    return 'answers';
  };
  const seen = await world.buyers.insist(() => gateway.chat, payment, 10_000);
  const isSaid = seen?.kind === 'answer' && seen.status === 402 && seen.code === reason;
  world.check(isSaid, `the refusal is not a 402 that says ${reason}`);
  world.check(seen?.kind === 'answer' && !seen.body.includes('answer 1'), 'the answer was not withheld');
  world.check(world.upstream.inferences.length === 1, 'the model did not run once');
  return payment;
}

async function transactions({ store }: World): Promise<number> {
  const [row] = await store.query('SELECT count(*) AS signed FROM chain_tx');
  return Number(row?.['signed']);
}
