import { deployTestWallet, setConduct, type WalletConduct } from '../testing/chain/test-wallet.ts';
import { boughtBy, type Payment } from './buyers.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'Contract wallets';
const chain = { token: 'guarded' } as const;
const settings = { contractWallets: true, debtBlockSeconds: 600 };
const honestPayers = 11;
const honestWallets = 3;
const killedWithinMs = 5_000;
/** Far below the time that honest payers would wait if each hostile wallet had its own transactions. */
const honestWaitMs = 10_000;

const conducts: readonly WalletConduct[] = [
  'burnsGas',
  'burnsGasInTransactions',
  'revertsInTransactions',
  'revertsWithMuchData',
  'reenters',
  'takesEvenBlocks',
];

/** The audit fails when a payer was charged twice, charged for nothing, or served for nothing (D-293). */
export const wallets: readonly Scenario[] = [
  {
    group,
    name: `${conducts.length} kinds of wallets become hostile during inference, two of each, among ${honestPayers} payers who sign by key`,
    store: 'sqlite',
    chain,
    fast: 'serves and charges each payer who signs by key once, among hostile contract wallets (D-293)',
    run: amongHostileWallets,
  },
  {
    group,
    name: `a kill before the write of the settlements of ${honestWallets} wallets, and a restart without contractWallets`,
    store: 'sqlite',
    chain,
    async run(context) {
      const gateway = await context.start({
        settings,
        steering: { dies: { step: 'settle', moment: 'before' } },
      });
      const payments = await signForWallets(context, Array(honestWallets).fill('honest'));
      await Promise.all(payments.map(({ payment }) => context.buyers.send(gateway.chat, payment)));
      await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
      await context.checkAllServed();
      const { length } = context.upstream.inferences;
      context.check(length === honestWallets, `the model ran ${length} times`);
    },
  },
];

type WalletPayment = { readonly payment: Payment; readonly become: () => Promise<void> };

/** Deploys wallets, and signs a payment for each. `become` gives the wallet its conduct. */
async function signForWallets(
  { chain: { rpc, devnet }, buyers }: ScenarioContext,
  conductsOfWallets: readonly WalletConduct[],
): Promise<readonly WalletPayment[]> {
  const signed: WalletPayment[] = [];
  for (const conduct of conductsOfWallets) {
    const wallet = await deployTestWallet(rpc, devnet);
    const payment = await buyers.sign({ payer: wallet, change: { from: wallet.address } });
    signed.push({ payment, become: () => setConduct(rpc, wallet.address, conduct) });
  }
  return signed;
}

/** The wallets pass the simulation before inference. Then they change, and all payments share transactions. */
async function amongHostileWallets(context: ScenarioContext): Promise<void> {
  const { chain: at, buyers, upstream } = context;
  const gateway = await context.start({ settings });
  const hostile = await signForWallets(context, [...conducts, ...conducts]);
  const honest: Payment[] = [];
  for (let each = 0; each < honestPayers; each++)
    honest.push(await buyers.sign({ payer: await at.devnet.fundPayer() }));
  let isChanged: Promise<unknown> | null = null;
  upstream.conduct = async (): Promise<UpstreamConduct> => {
    // All payments wait here, so that they are executed together.
    if (upstream.inferences.length >= honest.length + hostile.length)
      isChanged ??= Promise.all(hostile.map(({ become }) => become()));
    await context.until(async () => isChanged !== null, 'not all inferences began');
    await isChanged;
    return 'responds';
  };
  const underWay = [...hostile.map(({ payment }) => payment), ...honest].map((each) =>
    buyers.send(gateway.chat, each),
  );
  await Promise.all(underWay);
  await Promise.all(honest.map((each) => buyers.payUntilAnswered(context.anyUrl, each, honestWaitMs)));
  const served = honest.filter((each) => boughtBy(each) !== null).length;
  context.check(served === honestPayers, `${honestPayers - served} honest payers were not served`);
  const isRefused = ({ seen }: Payment) =>
    seen.some((each) => each.kind === 'response' && each.status === 402);
  context.check(!honest.some(isRefused), 'an honest payer was refused');
  await context.recover();
  const refused = hostile.filter(({ payment }) => isRefused(payment)).length;
  context.check(refused > 0, 'no hostile wallet was refused');
}
