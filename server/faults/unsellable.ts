import { execFileSync, spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { Wallet } from 'ethers';
import { type Payment, type Seen, statusOf } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { nobodyIsAskedAgain } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

import { answering, type UpstreamConduct } from './upstream.ts';

const group = 'One store file, and nothing to sell';
const crowd = 5;
/** Within what the health is asked about anew. */
const noticedMs = 5_000;
const gwei = 1_000_000_000n;
/** Above the most that a gateway may pay unless told otherwise. */
const baseFeeAboveCap = 80n * gwei;
/** As process 1 of a process namespace, as in a container. */
const container = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
/** A write beyond the limit on file sizes is an error, and not the end of the process. */
const withoutSignal = ['sh', '-c', 'trap \'\' XFSZ; exec "$@"', 'sh'];

export const unsellable: readonly Scenario[] = [
  {
    group,
    name: 'a gateway is killed, and its process id belongs to another process',
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
      await context.everybodyIsServed();
    },
  },
  {
    group,
    name: 'two containers with process id 1 are started on one store file',
    store: 'sqlite',
    limit: 'without process namespaces, two processes with different ids',
    async run(context) {
      const within =
        spawnSync(container[0] ?? '', [...container.slice(1), 'true']).status === 0 ? container : [];
      const settings = { databaseBusyTimeoutMs: 200 };
      const first = await context.start({ within, settings });
      const second = await context.start({ within, settings }).catch((fault: unknown) => String(fault));
      context.check(typeof second === 'string', 'a second gateway runs on the same file');
      context.check(String(second).includes(`${storeFile(context)}.lock is held`), 'the fault names no lock');
      const chats = typeof second === 'string' ? [first.chat] : [first.chat, second.chat];
      for (const payment of await context.buyers.signMany(crowd))
        await Promise.all(chats.map((chat) => context.buyers.send(chat, payment)));
      await context.everybodyIsServed();
      context.check(context.upstream.inferences.length === crowd, 'the model ran twice for one payment');
    },
  },
  {
    group,
    name: 'the disk of the store is full, and has room again',
    store: 'sqlite',
    limit: 'a limit on the size of files stands for the full disk',
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
    name: 'the file of the store is deleted, and is put back',
    store: 'sqlite',
    fast: 'D-142: nothing is sold into a file that was deleted, and what was paid is still answered',
    limit: 'the file is moved away, which is the same to a gateway, for the audit needs it',
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
    name: 'the upstream of the only model refuses connections, and is back',
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
    name: 'the base fee rises above what the gateway may pay, and falls',
    store: 'sqlite',
    fast: 'D-143: no inference runs for a payment that could not be settled now',
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
    name: 'the chain makes no blocks any more, and makes them again',
    store: 'sqlite',
    chain: { blockTimeSeconds: 1, history: 'kept' },
    fast: 'D-166: nothing is sold while the newest block is old',
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
    name: 'the chain is an hour ahead of the clock of the gateway, and goes back',
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
    name: 'the relayer has no ether for gas, and gets some',
    store: 'sqlite',
    async run(context) {
      const gateway = await context.start();
      const relayer = new Wallet(context.chain.devnet.relayerKey).address;
      const setEther = (wei: bigint) =>
        context.chain.ask('anvil_setBalance', relayer, `0x${wei.toString(16)}`);
      const late = await context.buyers.sign();
      context.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await setEther(0n);
        return 'answers';
      };
      const seen = await context.buyers.send(gateway.chat, late);
      context.check(codeOf(seen) === 'settlement_pending', 'whoever waits for the ether is not told to wait');
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
 * While it is broken, the gateway is not ready, runs no inference and takes no payment, and still answers for what was paid.
 * Once it is mended, whoever was sent away is served with the same payment.
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
  await context.until(async () => !(await isReady()), 'it is ready, though nothing can be sold', noticedMs);
  const seen = await Promise.all(
    payments.map((payment: Payment) => context.buyers.send(gateway.chat, payment)),
  );
  context.check(
    seen.every((each) => codeOf(each) === 'unavailable'),
    `whoever came meanwhile saw ${seen.map(codeOf).join(', ')}, not unavailable`,
  );
  context.check(
    context.upstream.inferences.length === inferences,
    'the model ran for a payment that is not taken',
  );
  context.check((await context.chain.transfers()).length === transfers, 'somebody was charged');
  const again = await context.buyers.send(gateway.chat, bought);
  context.check(statusOf(again) === 200, `what was paid is answered with ${codeOf(again)}`);
  await mend();
  await context.until(isReady, 'it does not become ready again', noticedMs);
  await context.everybodyIsServed();
  context.check(
    context.upstream.inferences.length === inferences + crowd,
    'the model did not run once for each payment',
  );
  nobodyIsAskedAgain(context);
}

function codeOf(seen: Seen): string {
  return seen.kind === 'answer' ? (seen.code ?? String(seen.status)) : 'nothing';
}

function storeFile({ store }: ScenarioContext): string {
  return store.environment['DATABASE_FILE'] ?? '';
}
