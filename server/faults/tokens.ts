import { setTimeout as after } from 'node:timers/promises';
import { type accountCode, delegate, setBlocked, setPaused } from '../testing/chain/guarded-token.ts';
import { startTestFacilitator } from '../testing/facilitator/fake-facilitator.ts';
import { boughtBy, type Payment, readStatus, type Seen } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The token refuses a transfer';
const chain = { token: 'guarded' } as const;
const honestPayers = 11;
const purchases = 5;
const alternatingPayers = 8;
const blockMs = 1_000;
/** Several blocks. Without a bound on such payers, honest payers waited for a minute. */
const honestWaitMs = 10_000;
/** Longer than a scenario, so that a held-back payer stays held back. */
const settings = { debtBlockSeconds: 600 };

type When = 'before' | 'during inference';
type Code = keyof typeof accountCode;

const adversaries: readonly (readonly [Code, When, string, string?])[] = [
  [
    'burnsGas',
    'during inference',
    'a payer delegates its account during inference to code that burns gas, among eleven honest payers',
    'settles a batch around a payer whose code burns gas, and holds that payer back (D-135)',
  ],
  ['burnsGasInTransactions', 'before', 'a payer has code that burns gas only in transactions'],
  ['revertsInTransactions', 'before', 'a payer has code that reverts only in transactions'],
];

const stops: readonly (readonly [
  string,
  (context: ScenarioContext, isOn: boolean) => Promise<void>,
  string?,
])[] = [
  [
    'the token is paused during inference, and later unpaused',
    ({ chain: { rpc, devnet } }, isOn) => setPaused(rpc, devnet.token.address, isOn),
    'keeps payments and sells nothing while the token is paused, and holds no payer back (D-137)',
  ],
  [
    'the recipient is put on the blocklist during inference, and later removed',
    ({ chain: { rpc, devnet } }, isOn) => setBlocked(rpc, devnet.token.address, devnet.payTo, isOn),
  ],
];

export const tokens: readonly Scenario[] = [
  ...adversaries.map(
    ([code, when, name, fast]): Scenario => ({
      group,
      name,
      store: 'sqlite',
      chain,
      ...(fast !== undefined && { fast }),
      run: (context) => amongHonestPayers(context, code, when),
    }),
  ),
  {
    group,
    name: `eight payers have code that accepts signatures only in every second block, while another payer buys ${purchases} times`,
    store: 'sqlite',
    chain: { ...chain, blockTimeSeconds: blockMs / 1_000 },
    run: besideAlternatingPayers,
  },
  {
    group,
    name: `a payer is put on the blocklist during inference, and tries ${purchases} purchases`,
    store: 'sqlite',
    chain,
    async run(context) {
      const { payer } = context.chain.devnet;
      const gateway = await context.start({ settings });
      const payments = await context.buyers.signMany(purchases);
      blockDuringInference(context);
      const seen = await buyOneByOne(context, gateway, payments);
      context.check(readCode(seen[0]) === 'invalid_transaction_state', 'the refusal has another reason');
      context.check(
        seen.slice(1).every((each) => readCode(each) === 'insufficient_funds'),
        'a payer with an unpaid inference is not held back',
      );
      context.check(context.upstream.inferences.length === 1, 'the model ran again for the payer');
      context.check((await transactions(context)) === 1, 'more than one transaction was sent');
      context.check((await context.chain.transfers()).length === 0, `${payer.address} paid`);
    },
  },
  {
    group,
    name: 'a payer is on the blocklist before it buys',
    store: 'postgres',
    chain,
    async run(context) {
      const { devnet, rpc } = context.chain;
      const gateway = await context.start({ settings });
      await setBlocked(rpc, devnet.token.address, devnet.payer.address, true);
      const seen = await buyOneByOne(context, gateway, await context.buyers.signMany(purchases));
      context.check(
        seen.every((each) => readCode(each) === 'invalid_transaction_state'),
        'a payment that the token would refuse was not refused before inference',
      );
      context.check(context.upstream.inferences.length === 0, 'the model ran for the payer');
      context.check((await transactions(context)) === 0, 'a transaction was sent');
    },
  },
  ...stops.map(
    ([name, stop, fast]): Scenario => ({
      group,
      name,
      store: fast === undefined ? 'postgres' : 'sqlite',
      chain,
      ...(fast !== undefined && { fast }),
      run: (context) => stopped(context, stop, () => context.start({ settings })),
    }),
  ),
  {
    group,
    name: 'the token is paused during inference, and later unpaused, with a facilitator',
    store: 'sqlite',
    chain,
    async run(context) {
      const facilitator = await startTestFacilitator(context.chain.devnet);
      try {
        const [, stop] = stops[0] ?? [];
        if (stop === undefined) throw new Error('There is no way to stop the token');
        await stopped(context, stop, () => startWith(context, facilitator.url));
      } finally {
        await facilitator.close();
      }
    },
  },
  {
    group,
    name: 'a payer is put on the blocklist during inference, with a facilitator',
    store: 'sqlite',
    chain,
    async run(context) {
      const facilitator = await startTestFacilitator(context.chain.devnet);
      try {
        const gateway = await startWith(context, facilitator.url);
        const payments = await context.buyers.signMany(purchases);
        blockDuringInference(context);
        const seen = await buyOneByOne(context, gateway, payments);
        context.check(readCode(seen[0]) === 'invalid_transaction_state', 'the refusal has another reason');
        context.check(facilitator.sent.length === 1, 'the gateway called the facilitator again');
        context.check(context.upstream.inferences.length === 1, 'the model ran again for the payer');
      } finally {
        await facilitator.close();
      }
    },
  },
];

/** Gathers one adversary and the honest payers in one batch, because no block is mined meanwhile. */
async function amongHonestPayers(context: ScenarioContext, code: Code, when: When): Promise<void> {
  const { chain: at, buyers, upstream } = context;
  const gateway = await context.start({ settings });
  const payer = await at.devnet.fundPayer();
  const change = () => delegate(at.rpc, at.devnet.chainId, payer, code);
  const [first, bad, second] = [
    await buyers.sign(),
    await buyers.sign({ payer }),
    await buyers.sign({ payer }),
  ];
  const honest: Payment[] = [];
  for (let each = 0; each < honestPayers; each++)
    honest.push(await buyers.sign({ payer: await at.devnet.fundPayer() }));
  if (when === 'before') await change();

  await at.ask('evm_setAutomine', false);
  const underWay = [buyers.send(gateway.chat, first)];
  await context.until(async () => (await transactions(context)) === 1, 'the gateway sent no transaction');
  upstream.conduct = async ({ prompt }): Promise<UpstreamConduct> => {
    // The simulation came before. The delegation is mined with the later transactions.
    if (prompt === bad.prompt && when === 'during inference') await change();
    return 'responds';
  };
  for (const each of [bad, ...honest]) underWay.push(buyers.send(gateway.chat, each));
  const executed = `SELECT count(*) AS some FROM payment WHERE state IN ('executed', 'submitted', 'settled', 'failed')`;
  await context.until(
    async () => Number((await context.store.query(executed))[0]?.['some']) === honestPayers + 2,
    'not all payments were executed',
  );
  await at.ask('evm_setAutomine', true);
  await at.ask('evm_mine');
  await Promise.all(underWay);
  await Promise.all([first, ...honest].map((each) => buyers.payUntilAnswered(context.anyUrl, each, 10_000)));
  context.check(
    [first, ...honest].every((each) => boughtBy(each) !== null),
    'an honest payer was not served',
  );
  context.check(
    [first, ...honest].every(({ seen }) =>
      seen.every((each) => readCode(each) !== 'invalid_transaction_state'),
    ),
    'an honest payer was refused',
  );
  const refused = await buyers.payUntilAnswered(context.anyUrl, bad, 10_000);
  context.check(readCode(refused) === 'invalid_transaction_state', 'the adversary got another reason');
  const next = await buyers.send(gateway.chat, second);
  context.check(readCode(next) === 'insufficient_funds', 'the adversary is not held back');
  context.check(upstream.inferences.length === honestPayers + 2, 'the model ran again');
  // The first transaction, the batch, and one retry for the adversary.
  const sent = await transactions(context);
  context.check(sent <= 4, `${sent} transactions were sent`);
}

/** Two simulations of such a payment never agree. Other payments must not wait for it. */
async function besideAlternatingPayers(context: ScenarioContext): Promise<void> {
  const { chain: at, buyers } = context;
  const gateway = await context.start({ settings: { ...settings, receiptPollMsMax: blockMs } });
  const underWay: Promise<Seen>[] = [];
  for (let each = 0; each < alternatingPayers; each++) {
    const payer = await at.devnet.fundPayer();
    const payment = await buyers.sign({ payer });
    await delegate(at.rpc, at.devnet.chainId, payer, 'takesEvenBlocks');
    underWay.push(buyers.send(gateway.chat, payment));
    await after(blockMs / 3);
  }
  for (const payment of await buyers.signMany(purchases)) {
    const seen = await buyers.payUntilAnswered(() => gateway.chat, payment, honestWaitMs);
    context.check(seen !== null && readStatus(seen) === 200, 'an honest payer had to wait for another payer');
  }
  await Promise.all(underWay);
}

/** Three payments are executed when the token stops. A fourth arrives while it is stopped. */
async function stopped(
  context: ScenarioContext,
  stop: (context: ScenarioContext, isOn: boolean) => Promise<void>,
  start: () => Promise<GatewayProcess>,
): Promise<void> {
  const gateway = await start();
  const payments = await context.buyers.signMany(3);
  const late = await context.buyers.sign();
  let isStopped: Promise<void> | null = null;
  context.upstream.conduct = async (): Promise<UpstreamConduct> => {
    isStopped ??= stop(context, true);
    await isStopped;
    return 'responds';
  };
  const seen = await Promise.all(payments.map((each) => context.buyers.send(gateway.chat, each)));
  context.check(
    seen.every((each) => readCode(each) === 'settlement_pending'),
    'a buyer with a waiting payment did not get settlement_pending',
  );
  const refused = await context.buyers.send(gateway.chat, late);
  context.check(readCode(refused) === 'unavailable', 'the gateway sold while the token was stopped');
  context.check(context.upstream.inferences.length === 3, 'the model ran while the token was stopped');
  const ready = await fetch(new URL('/ready', gateway.url));
  context.check(ready.status === 503, 'the gateway is ready although the token accepts no transfers');
  const sent = await transactions(context);
  context.check(sent <= 1, `${sent} transactions were sent while the token was stopped`);
  await stop(context, false);
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

function blockDuringInference({ chain: { devnet, rpc }, upstream }: ScenarioContext): void {
  upstream.conduct = async (): Promise<UpstreamConduct> => {
    await setBlocked(rpc, devnet.token.address, devnet.payer.address, true);
    return 'responds';
  };
}

async function buyOneByOne(
  context: ScenarioContext,
  gateway: GatewayProcess,
  payments: readonly Payment[],
): Promise<readonly (Seen | null)[]> {
  const seen: (Seen | null)[] = [];
  for (const payment of payments)
    seen.push(await context.buyers.payUntilAnswered(() => gateway.chat, payment, 15_000));
  return seen;
}

/** Starts a gateway without a relayer key. */
function startWith(context: ScenarioContext, url: string): Promise<GatewayProcess> {
  const facilitator = { verifyTimeoutMs: 5_000, settleTimeoutMs: 5_000, retryMs: 200 };
  return context.start({
    settings: { ...settings, facilitator },
    environment: { FACILITATOR_URL: url, RELAYER_KEY: '' },
  });
}

function readCode(seen: Seen | null | undefined): string | null {
  return seen?.kind === 'response' ? seen.code : null;
}

async function transactions({ store }: ScenarioContext): Promise<number> {
  const [row] = await store.query('SELECT count(*) AS signed FROM chain_tx');
  return Number(row?.['signed']);
}
