import { pinEndpoint } from '../chain/rpc.ts';
import { changeAll } from '../store/bulk.ts';
import { owedKeepSeconds } from '../store/owed.ts';
import { pause, type Signal } from '../types/signal.ts';
import { unixSeconds } from '../types/units.ts';
import { checkRefused, type OtherUses, type RefusedPorts } from './reconcile/refused.ts';
import { noHead, nothingWatched, watchFinality } from './watch-finality.ts';

export type MaintenancePorts = RefusedPorts & {
  readonly maintenanceMs: number;
  readonly completionKeepSeconds: number;
  /** The same for a refused payment, unless its window ends first. */
  readonly refusedCompletionKeepSeconds: number;
  /** Bytes of all completions of refused payments. The oldest are deleted first (D-384). */
  readonly refusedCompletionBytesMax: number;
  readonly closing: AbortSignal;
  readonly work: Signal;
};

/** Most rows that one statement deletes. */
const prunedMax = 500;
/** How long a released payment is kept for operators. Nothing was charged for it (D-140). */
const releasedKeepSeconds = 3_600;

/**
 * Does the work that no request waits for: abandoned reservations, finality, settlements that a reorganisation
 * removed, refused payments that may still be charged, and old data of the store.
 */
export function startMaintenanceLoop(ports: MaintenancePorts): { readonly done: Promise<void> } {
  let last = nothingWatched;
  let which: 0 | 1 = 0;
  const otherUses: OtherUses = new Map();
  return { done: run() };

  async function run(): Promise<void> {
    while (!ports.closing.aborted) {
      try {
        await releaseAbandoned(ports);
        // The endpoints alternate. If two rounds agree, two endpoints agree, where the gateway has several.
        const watched = await watchFinality({ ...ports, rpc: pinEndpoint(ports.rpc, which) }, last);
        which = which === 0 ? 1 : 0;
        // A round without new data closes nothing.
        const finalized = [last.finalized, watched === last ? noHead : watched.finalized];
        await checkRefused(ports, finalized, otherUses);
        last = watched;
        await dropOldCompletions(ports);
        await prune(ports);
      } catch (cause) {
        ports.log.error({ err: cause }, 'A maintenance round failed. The next round follows.');
      }
      await pause(ports.maintenanceMs, ports.closing);
    }
  }
}

/** Deletes the oldest completions of refused payments in steps, while all of them have too many bytes (D-384). */
async function boundRefusedCompletions({
  store,
  log,
  closing,
  refusedCompletionBytesMax,
}: Pick<MaintenancePorts, 'store' | 'log' | 'closing' | 'refusedCompletionBytesMax'>): Promise<void> {
  const before = await store.refusedCompletionBytes();
  let bytes = before;
  while (bytes > refusedCompletionBytesMax && !closing.aborted) {
    const freed = await store.dropOldestRefusedCompletions(bytes - refusedCompletionBytesMax);
    if (freed === 0) break;
    bytes -= freed;
  }
  if (bytes < before)
    log.warn(
      { deletedBytes: before - bytes, refusedCompletionBytesMax },
      'Payments were refused after their inference. The oldest of their completions were deleted.',
    );
}

/** Deletes old data in steps: relayers may send, and an attacker may make, more between two rounds than one step deletes. */
async function prune({ store, clock, closing }: MaintenancePorts): Promise<void> {
  await changeAll(() => store.pruneJournal(prunedMax), closing, prunedMax);
  const now = clock.steadySeconds();
  await changeAll(() => store.pruneJoins(now, prunedMax), closing, prunedMax);
  const before = unixSeconds(Math.max(0, now - releasedKeepSeconds));
  await changeAll(() => store.pruneReleased(before, prunedMax), closing, prunedMax);
}

async function releaseAbandoned({ store, clock, log }: MaintenancePorts): Promise<void> {
  const released = await store.releaseAbandoned(clock.steadySeconds());
  if (released > 0) log.warn({ released }, 'Released reservations of a process that has ended.');
}

/**
 * Deletes old completions. A completion is kept for a while, for a payer who lost the response. Gives up completions
 * that no payer asked for (D-272).
 */
async function dropOldCompletions({ store, clock, log, closing, ...keep }: MaintenancePorts): Promise<void> {
  const before = (keepSeconds: number) => unixSeconds(Math.max(0, clock.steadySeconds() - keepSeconds));
  await changeAll(() => store.dropCompletionsBefore(before(keep.completionKeepSeconds)), closing);
  await changeAll(
    () => store.dropRefusedCompletionsBefore(before(keep.refusedCompletionKeepSeconds)),
    closing,
  );
  await boundRefusedCompletions({ store, log, closing, ...keep });
  for (const { id, payer, amount } of await store.dropOwedBefore(before(owedKeepSeconds)))
    log.error(
      { payment: id, payer, amount: String(amount) },
      'A payment was charged a week ago, and its completion was never made. Pay the amount back to the payer.',
    );
}
