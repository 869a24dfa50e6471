import { execFileSync, spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { Wallet } from 'ethers';
import { type Payment, readStatus, type Seen } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { answering, type UpstreamConduct } from './upstream.ts';

const group = 'A gateway that cannot sell';
const crowd = 5;
/** Longer than the age of a health result. */
const noticedMs = 5_000;
const gwei = 1_000_000_000n;
/** Above the default fee limit of a gateway. */
const baseFeeAboveCap = 80n * gwei;
/** Runs as process 1 of a process namespace, as in a container. */
const container = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
/** Makes a write beyond the limit on file sizes an error instead of the end of the process. */
const withoutSignal = ['sh', '-c', 'trap \'\' XFSZ; exec "$@"', 'sh'];

export const unsellable: readonly Scenario[] = [
  {
    group,
    name: 'a gateway is killed, and another process gets its process id',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      await context.buyers.send(gateway.chat, await context.buyers.sign());
      await gateway.kill();
      writeFileSync(`${storeFile(context)}.pid`, String(process.pid));
      const starts = await context.start().then(
        () => true,
        () => false,
      );
      context.check(starts, 'the gateway does not start again');
      await context.checkAllServed();
    },
  },
  {
    group,
    name: 'two containers with process id 1 start on one store file',
    store: 'sqlite',
    limit: 'without process namespaces, two processes with different ids',
    async run(context) {
      const within =
        spawnSync(container[0] ?? '', [...container.slice(1), 'true']).status === 0 ? container : [];
      const settings = { databaseBusyTimeoutMs: 200 };
      const first = await context.start({ within, settings });
      const second = await context.start({ within, settings }).catch((fault: unknown) => String(fault));
      context.check(typeof second === 'string', 'a second gateway runs on the same file');
      context.check(
        String(second).includes(`${storeFile(context)}.lock is held`),
        'the error does not name the lock',
      );
      const chats = typeof second === 'string' ? [first.chat] : [first.chat, second.chat];
      for (const payment of await context.buyers.signMany(crowd))
        await Promise.all(chats.map((chat) => context.buyers.send(chat, payment)));
      await context.checkAllServed();
      context.check(context.upstream.inferences.length === crowd, 'the model ran twice for one payment');
    },
  },
  {
    group,
    name: 'the disk of the store is full, and later has space',
    store: 'sqlite',
    limit: 'simulated with a limit on file sizes',
    async run(context) {
      const gateway = await context.start({ within: withoutSignal });
      const limit = (bytes: string) => execFileSync('prlimit', [`--pid=${gateway.pid}`, `--fsize=${bytes}:`]);
      await nothingIsSold(
        context,
        gateway,
        () => limit('4096'),
        () => limit('unlimited'),
      );
    },
  },
  {
    group,
    name: 'the store file is deleted, and later restored',
    store: 'sqlite',
    fast: 'sells nothing after the store file is deleted, and still replays paid completions (D-142)',
    limit: 'simulated: the file is renamed, because the audit needs it',
    async run(context) {
      const gateway = await context.start();
      const path = storeFile(context);
      const transition = (from: string, to: string) => renameSync(from, to);
      await nothingIsSold(
        context,
        gateway,
        () => transition(path, `${path}.away`),
        () => transition(`${path}.away`, path),
      );
    },
  },
  {
    group,
    name: 'the upstream of the only model refuses connections, and later recovers',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      await nothingIsSold(
        context,
        gateway,
        () => context.upstream.off(),
        () => context.upstream.on(),
      );
    },
  },
  {
    group,
    name: 'the base fee rises above the fee limit, and later falls',
    store: 'sqlite',
    fast: 'runs no inference while a payment could not be settled (D-143)',
    async run(context) {
      const gateway = await context.start();
      const mineAt = (baseFee: bigint) => async () => {
        await context.chain.ask('anvil_setNextBlockBaseFeePerGas', `0x${baseFee.toString(16)}`);
        await context.chain.ask('evm_mine');
      };
      await nothingIsSold(context, gateway, mineAt(baseFeeAboveCap), mineAt(gwei));
    },
  },
  {
    group,
    name: 'the chain stops making blocks, and later resumes',
    store: 'sqlite',
    chain: { blockTimeSeconds: 1, history: 'kept' },
    fast: 'sells nothing while the newest block is old (D-166)',
    async run(context) {
      const gateway = await context.start({ settings: { chainHeadAgeMaxSeconds: 3 } });
      const makeBlocksEvery = (seconds: number) => context.chain.ask('evm_setIntervalMining', seconds);
      await nothingIsSold(
        context,
        gateway,
        () => makeBlocksEvery(0),
        () => makeBlocksEvery(1),
      );
    },
  },
  {
    group,
    name: "the chain's time is an hour ahead of the gateway's clock, and later returns",
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      let snapshot = '';
      await nothingIsSold(
        context,
        gateway,
        async () => {
          snapshot = await context.chain.ask('evm_snapshot');
          await context.chain.ask('evm_increaseTime', 3_600);
          await context.chain.ask('evm_mine');
        },
        () => context.chain.ask('evm_revert', snapshot),
      );
    },
  },
  {
    group,
    name: 'the relayer has no ether for gas, and later gets ether',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      const relayer = new Wallet(context.chain.devnet.relayerKey).address;
      const setEther = (wei: bigint) =>
        context.chain.ask('anvil_setBalance', relayer, `0x${wei.toString(16)}`);
      const late = await context.buyers.sign();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await setEther(0n);
        return 'responds';
      };
      const seen = await context.buyers.send(gateway.chat, late);
      context.check(
        describeResult(seen) === 'settlement_pending',
        'a buyer did not get settlement_pending while the relayer had no ether',
      );
      context.upstream.conduct = answering;
      await setEther(10n ** 18n);
      await nothingIsSold(
        context,
        gateway,
        () => setEther(0n),
        () => setEther(10n ** 18n),
      );
    },
  },
];

/**
 * While the fault lasts, the gateway is not ready, runs no inference, accepts no payment, and still replays
 * completions. After the fault, the refused buyers are served with the same payments.
 */
async function nothingIsSold(
  context: ScenarioContext,
  gateway: GatewayProcess,
  breakIt: () => unknown,
  mend: () => unknown,
): Promise<void> {
  const bought = await context.buyers.sign();
  await context.buyers.payUntilAnswered(() => gateway.chat, bought, noticedMs);
  const payments = await context.buyers.signMany(crowd);
  const inferences = context.upstream.inferences.length;
  const transfers = (await context.chain.transfers()).length;
  await breakIt();
  const isReady = async () => (await fetch(new URL('/ready', gateway.url))).status === 200;
  await context.until(
    async () => !(await isReady()),
    'the gateway is ready, although it cannot sell',
    noticedMs,
  );
  const seen = await Promise.all(
    payments.map((payment: Payment) => context.buyers.send(gateway.chat, payment)),
  );
  context.check(
    seen.every((each) => describeResult(each) === 'unavailable'),
    `buyers got ${seen.map(describeResult).join(', ')} instead of unavailable`,
  );
  context.check(context.upstream.inferences.length === inferences, 'the model ran for a refused payment');
  context.check((await context.chain.transfers()).length === transfers, 'a payer was charged');
  const again = await context.buyers.send(gateway.chat, bought);
  context.check(readStatus(again) === 200, `a paid completion was not replayed: ${describeResult(again)}`);
  await mend();
  await context.until(isReady, 'the gateway does not become ready again', noticedMs);
  await context.checkAllServed();
  context.check(
    context.upstream.inferences.length === inferences + crowd,
    'the model did not run once for each payment',
  );
  checkNoSecondOffer(context);
}

function describeResult(seen: Seen): string {
  return seen.kind === 'response' ? (seen.code ?? String(seen.status)) : 'nothing';
}

function storeFile({ store }: ScenarioContext): string {
  return store.environment['DATABASE_FILE'] ?? '';
}
