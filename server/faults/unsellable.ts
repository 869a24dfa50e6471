import { execFileSync, spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { Wallet } from 'ethers';
import { type Payment, type Seen, statusOf } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { nobodyIsAskedAgain } from './nodes.ts';
import type { Scenario } from './scenario.ts';
import { answering, type UpstreamConduct } from './upstream.ts';
import type { World } from './world.ts';

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
    async run(world) {
      const gateway = await world.start();
      await world.buyers.send(gateway.chat, await world.buyers.sign());
      await gateway.kill();
      writeFileSync(`${storeFile(world)}.pid`, String(process.pid));
      const starts = await world.start().then(
        () => true,
        () => false,
      );
      world.check(starts, 'the gateway does not start again');
      await world.everybodyIsServed();
    },
  },
  {
    group,
    name: 'two containers with process id 1 are started on one store file',
    store: 'sqlite',
    limit: 'without process namespaces, two processes with different ids',
    async run(world) {
      const within =
        spawnSync(container[0] ?? '', [...container.slice(1), 'true']).status === 0 ? container : [];
      const settings = { databaseBusyTimeoutMs: 200 };
      const first = await world.start({ within, settings });
      const second = await world.start({ within, settings }).catch((fault: unknown) => String(fault));
      world.check(typeof second === 'string', 'a second gateway runs on the same file');
      world.check(String(second).includes(`${storeFile(world)}.lock is held`), 'the fault names no lock');
      const chats = typeof second === 'string' ? [first.chat] : [first.chat, second.chat];
      for (const payment of await world.buyers.signMany(crowd))
        await Promise.all(chats.map((chat) => world.buyers.send(chat, payment)));
      await world.everybodyIsServed();
      world.check(world.upstream.inferences.length === crowd, 'the model ran twice for one payment');
    },
  },
  {
    group,
    name: 'the disk of the store is full, and has room again',
    store: 'sqlite',
    limit: 'a limit on the size of files stands for the full disk',
    async run(world) {
      const gateway = await world.start({ within: withoutSignal });
      const limit = (bytes: string) => execFileSync('prlimit', [`--pid=${gateway.pid}`, `--fsize=${bytes}:`]);
      await nothingIsSold(
        world,
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
    async run(world) {
      const gateway = await world.start();
      const path = storeFile(world);
      const move = (from: string, to: string) => renameSync(from, to);
      await nothingIsSold(
        world,
        gateway,
        () => move(path, `${path}.away`),
        () => move(`${path}.away`, path),
      );
    },
  },
  {
    group,
    name: 'the upstream of the only model refuses connections, and is back',
    store: 'sqlite',
    async run(world) {
      const gateway = await world.start();
      await nothingIsSold(
        world,
        gateway,
        () => world.upstream.off(),
        () => world.upstream.on(),
      );
    },
  },
  {
    group,
    name: 'the base fee rises above what the gateway may pay, and falls',
    store: 'sqlite',
    fast: 'D-143: no inference runs for a payment that could not be settled now',
    async run(world) {
      const gateway = await world.start();
      const mineAt = (baseFee: bigint) => async () => {
        await world.chain.ask('anvil_setNextBlockBaseFeePerGas', `0x${baseFee.toString(16)}`);
        await world.chain.ask('evm_mine');
      };
      await nothingIsSold(world, gateway, mineAt(baseFeeAboveCap), mineAt(gwei));
    },
  },
  {
    group,
    name: 'the chain makes no blocks any more, and makes them again',
    store: 'sqlite',
    chain: { blockTimeSeconds: 1, history: 'kept' },
    fast: 'D-166: nothing is sold while the newest block is old',
    async run(world) {
      const gateway = await world.start({ settings: { chainHeadAgeMaxSeconds: 3 } });
      const makeBlocksEvery = (seconds: number) => world.chain.ask('evm_setIntervalMining', seconds);
      await nothingIsSold(
        world,
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
    async run(world) {
      const gateway = await world.start();
      let snapshot = '';
      await nothingIsSold(
        world,
        gateway,
        async () => {
          snapshot = await world.chain.ask('evm_snapshot');
          await world.chain.ask('evm_increaseTime', 3_600);
          await world.chain.ask('evm_mine');
        },
        () => world.chain.ask('evm_revert', snapshot),
      );
    },
  },
  {
    group,
    name: 'the relayer has no ether for gas, and gets some',
    store: 'sqlite',
    async run(world) {
      const gateway = await world.start();
      const relayer = new Wallet(world.chain.devnet.relayerKey).address;
      const setEther = (wei: bigint) => world.chain.ask('anvil_setBalance', relayer, `0x${wei.toString(16)}`);
      const late = await world.buyers.sign();
      world.upstream.conduct = async (): Promise<UpstreamConduct> => {
        await setEther(0n);
        return 'answers';
      };
      const seen = await world.buyers.send(gateway.chat, late);
      world.check(codeOf(seen) === 'settlement_pending', 'whoever waits for the ether is not told to wait');
      world.upstream.conduct = answering;
      await setEther(10n ** 18n);
      await nothingIsSold(
        world,
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
  world: World,
  gateway: GatewayProcess,
  breakIt: () => unknown,
  mend: () => unknown,
): Promise<void> {
  const bought = await world.buyers.sign();
  await world.buyers.insist(() => gateway.chat, bought, noticedMs);
  const payments = await world.buyers.signMany(crowd);
  const inferences = world.upstream.inferences.length;
  const transfers = (await world.chain.transfers()).length;
  await breakIt();
  const isReady = async () => (await fetch(new URL('/ready', gateway.url))).status === 200;
  await world.until(async () => !(await isReady()), 'it is ready, though nothing can be sold', noticedMs);
  const seen = await Promise.all(
    payments.map((payment: Payment) => world.buyers.send(gateway.chat, payment)),
  );
  world.check(
    seen.every((each) => codeOf(each) === 'unavailable'),
    `whoever came meanwhile saw ${seen.map(codeOf).join(', ')}, not unavailable`,
  );
  world.check(
    world.upstream.inferences.length === inferences,
    'the model ran for a payment that is not taken',
  );
  world.check((await world.chain.transfers()).length === transfers, 'somebody was charged');
  const again = await world.buyers.send(gateway.chat, bought);
  world.check(statusOf(again) === 200, `what was paid is answered with ${codeOf(again)}`);
  await mend();
  await world.until(isReady, 'it does not become ready again', noticedMs);
  await world.everybodyIsServed();
  world.check(
    world.upstream.inferences.length === inferences + crowd,
    'the model did not run once for each payment',
  );
  nobodyIsAskedAgain(world);
}

function codeOf(seen: Seen): string {
  return seen.kind === 'answer' ? (seen.code ?? String(seen.status)) : 'nothing';
}

function storeFile({ store }: World): string {
  return store.environment['DATABASE_FILE'] ?? '';
}
