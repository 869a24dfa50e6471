import { type Head, readHead, readMined } from '../chain/chain-view.ts';
import { pinEndpoint } from '../chain/rpc.ts';
import { pause, type Signal } from '../types/signal.ts';
import { type Bytes32, unixSeconds } from '../types/units.ts';
import { checkRefused, type RefusedPorts } from './reconcile/refused.ts';

export type MaintenancePorts = RefusedPorts & {
  readonly keepMs: number;
  readonly answerKeepSeconds: number;
  /** The same for one that was refused, where nothing ends its window before. */
  readonly refusedAnswerKeepSeconds: number;
  readonly closing: AbortSignal;
  readonly work: Signal;
};

/** Inclusions looked at in one round; the rest waits for the next. */
const inclusionsMax = 1_000;
/** Transactions forgotten in one round: many more than can be sent in one. */
const prunedMax = 500;

/**
 * Looks after what nobody waits for: reservations of processes that died, settlements that become final, those that a
 * reorganisation took back, refused payments that may still be charged, and what the store need not remember.
 */
export function startMaintenanceLoop(ports: MaintenancePorts): { readonly done: Promise<void> } {
  let last: Probe = { finalized: noHead, missing: new Set() };
  let which: 0 | 1 = 0;
  return { done: run() };

  async function run(): Promise<void> {
    while (!ports.closing.aborted) {
      try {
        await releaseAbandoned(ports);
        // By turns, so that what two rounds saw alike was seen through two endpoints where there are two.
        const look = await watchFinality({ ...ports, rpc: pinEndpoint(ports.rpc, which) }, last);
        which = which === 0 ? 1 : 0;
        // A round that learnt nothing new closes nothing.
        await checkRefused(ports, [last.finalized, look === last ? noHead : look.finalized]);
        last = look;
        await dropOldAnswers(ports);
        await ports.store.pruneJournal(prunedMax);
      } catch (cause) {
        ports.log.error({ err: cause }, 'the round through the store failed; the next one comes');
      }
      await pause(ports.keepMs, ports.closing);
    }
  }
}

/** What one round saw. A single answer decides nothing: what two rounds saw alike is acted upon. */
type Probe = {
  readonly finalized: Head;
  /** Transactions that were not where the store has them. */
  readonly missing: ReadonlySet<Bytes32>;
};

const noHead: Head = { block: 0, seconds: 0n };

async function releaseAbandoned({ store, clock, log }: MaintenancePorts): Promise<void> {
  const released = await store.releaseAbandoned(clock.steadySeconds());
  if (released > 0) log.warn({ released }, 'gave back reservations of a process that is gone');
}

/** An answer is kept for whoever lost it on the way, and no longer. */
async function dropOldAnswers({ store, clock, ...keep }: MaintenancePorts): Promise<void> {
  const before = (keepSeconds: number) => unixSeconds(Math.max(0, clock.steadySeconds() - keepSeconds));
  await store.dropAnswersBefore(before(keep.answerKeepSeconds));
  await store.dropRefusedAnswersBefore(before(keep.refusedAnswerKeepSeconds));
}

/**
 * Looks at every inclusion once more before it counts as final, lowest block first. One that was missing in two rounds is
 * taken up again; nothing at or above one that is missing becomes final.
 */
async function watchFinality({ rpc, store, log, work }: MaintenancePorts, last: Probe): Promise<Probe> {
  const finalized = await readHead(rpc, 'finalized');
  if (!finalized.ok) return last;
  const missing = new Set<Bytes32>();
  const inclusions = await store.settledInclusions(inclusionsMax);
  // Of two rounds the lower: a chain never takes finality back, but a node may have told a number from nowhere.
  let finalUpTo = Math.min(finalized.value.block, last.finalized.block);
  // Where there were more than fit into the round, the last block may hold some that were not looked at.
  const highest = inclusions.at(-1);
  if (highest && inclusions.length === inclusionsMax) finalUpTo = Math.min(finalUpTo, highest.block - 1);
  for (const { txHash, block, blockHash } of inclusions) {
    const mined = await readMined(rpc, txHash);
    if (!mined.ok) return last;
    if (mined.value?.blockHash === blockHash) continue;
    finalUpTo = Math.min(finalUpTo, block - 1);
    if (!last.missing.has(txHash)) {
      missing.add(txHash);
      continue;
    }
    // Gone, or in another block where it may have done something else: the relayer worker follows it to its end again.
    const { length: payments } = await store.reopen(txHash);
    log.warn({ txHash, payments }, 'a reorganisation took a settlement back');
    work.notify();
  }
  await store.finalise(finalUpTo);
  return { finalized: finalized.value, missing };
}
