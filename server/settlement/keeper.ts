import type { PaymentRecord } from '../store/store.ts';
import { unixSeconds } from '../vocabulary/units.ts';
import { readHead, readMined } from './chain-view.ts';
import type { ConcludePorts } from './conclude.ts';
import { pause, type Signal } from './signal.ts';

export type KeeperPorts = Pick<ConcludePorts, 'rpc' | 'store' | 'clock' | 'log'> & {
  readonly keepMs: number;
  readonly answerKeepSeconds: number;
  readonly closing: AbortSignal;
  readonly work: Signal;
};

/** Inclusions looked at in one round; the rest waits for the next. */
const inclusionsMax = 1_000;

/**
 * Looks after what nobody waits for: reservations of processes that died, settlements that become final, and those that
 * a reorganisation took back.
 */
export function startKeeper(ports: KeeperPorts): { readonly done: Promise<void> } {
  return { done: run() };

  async function run(): Promise<void> {
    while (!ports.closing.aborted) {
      try {
        await releaseAbandoned(ports);
        await watchFinality(ports);
        await dropOldAnswers(ports);
      } catch (cause) {
        ports.log.error({ err: cause }, 'the round through the ledger failed; the next one comes');
      }
      await pause(ports.keepMs, ports.closing);
    }
  }
}

async function releaseAbandoned({ store, clock, log }: KeeperPorts): Promise<void> {
  const released = await store.releaseAbandoned(clock.nowSeconds());
  if (released > 0) log.warn({ released }, 'gave back reservations of a process that is gone');
}

/** An answer is kept for whoever lost it on the way, and no longer. */
async function dropOldAnswers({ store, clock, answerKeepSeconds }: KeeperPorts): Promise<void> {
  await store.dropAnswersBefore(unixSeconds(Math.max(0, clock.nowSeconds() - answerKeepSeconds)));
}

/** Every inclusion up to the finalized block is looked at once more before it counts as final. */
async function watchFinality({ rpc, store, log, work }: KeeperPorts): Promise<void> {
  const finalized = await readHead(rpc, 'finalized');
  if (!finalized.ok) return;
  for (const inclusion of await store.settledInclusions(inclusionsMax)) {
    const mined = await readMined(rpc, inclusion.txHash);
    if (!mined.ok) return;
    if (mined.value !== null && mined.value.blockHash === inclusion.blockHash) continue;
    // Gone, or in another block where it may have done something else: the lane follows it to its end again.
    const reopened: readonly PaymentRecord[] = await store.reopen(inclusion.txHash);
    log.warn(
      { txHash: inclusion.txHash, payments: reopened.length },
      'a reorganisation took a settlement back',
    );
    work.notify();
  }
  await store.finalise(finalized.value.block);
}
