import { checkInclusion, type Head, readHead } from '../chain/chain-view.ts';
import { pinEndpoint } from '../chain/rpc.ts';
import { changeAll } from '../store/bulk.ts';
import { owedKeepSeconds } from '../store/owed.ts';
import { pause, type Signal } from '../types/signal.ts';
import { type Bytes32, unixSeconds } from '../types/units.ts';
import { checkRefused, type RefusedPorts } from './reconcile/refused.ts';

export type MaintenancePorts = RefusedPorts & {
  readonly maintenanceMs: number;
  readonly completionKeepSeconds: number;
  /** The same for a refused payment, unless its window ends first. */
  readonly refusedCompletionKeepSeconds: number;
  readonly closing: AbortSignal;
  readonly work: Signal;
};

/** Most inclusions checked in one round. The next round checks the others. */
const inclusionsMax = 1_000;
/** Most transactions, and most joins, that one statement deletes. */
const prunedMax = 500;

/**
 * Does the work that no request waits for: abandoned reservations, finality, settlements that a reorganisation
 * removed, refused payments that may still be charged, and old data of the store.
 */
export function startMaintenanceLoop(ports: MaintenancePorts): { readonly done: Promise<void> } {
  let last: Probe = { finalized: noHead, missing: new Set() };
  let which: 0 | 1 = 0;
  return { done: run() };

  async function run(): Promise<void> {
    while (!ports.closing.aborted) {
      try {
        await releaseAbandoned(ports);
        // The endpoints alternate. If two rounds agree, two endpoints agree, where the gateway has several.
        const probe = await watchFinality({ ...ports, rpc: pinEndpoint(ports.rpc, which) }, last);
        which = which === 0 ? 1 : 0;
        // A round without new data closes nothing.
        await checkRefused(ports, [last.finalized, probe === last ? noHead : probe.finalized]);
        last = probe;
        await dropOldCompletions(ports);
        await prune(ports);
      } catch (cause) {
        ports.log.error({ err: cause }, 'A maintenance round failed. The next round follows.');
      }
      await pause(ports.maintenanceMs, ports.closing);
    }
  }
}

/** The result of one round. Two rounds must agree before the gateway acts. */
type Probe = {
  readonly finalized: Head;
  /** Transactions that are not in the block that the store has for them. */
  readonly missing: ReadonlySet<Bytes32>;
};

const noHead: Head = { block: 0, seconds: 0n };

/** Deletes old data in steps: relayers may send, and an attacker may make, more between two rounds than one step deletes. */
async function prune({ store, clock, closing }: MaintenancePorts): Promise<void> {
  await changeAll(() => store.pruneJournal(prunedMax), closing, prunedMax);
  await changeAll(() => store.pruneJoins(clock.steadySeconds(), prunedMax), closing, prunedMax);
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
  for (const { id, payer, amount } of await store.dropOwedBefore(before(owedKeepSeconds)))
    log.error(
      { payment: id, payer, amount: String(amount) },
      'A payment was charged a week ago, and its completion was never made. Pay the amount back to the payer.',
    );
}

/**
 * Checks every inclusion once more before it counts as final, lowest block first. An inclusion that is missing
 * in two rounds is reopened. Nothing at or above a missing inclusion becomes final.
 */
async function watchFinality(
  { rpc, store, log, work, closing }: MaintenancePorts,
  last: Probe,
): Promise<Probe> {
  const finalized = await readHead(rpc, 'finalized');
  if (!finalized.ok) return last;
  const missing = new Set<Bytes32>();
  const inclusions = await store.settledInclusions(inclusionsMax);
  // The lower of two rounds. A chain never revokes finality, but one node may return a wrong number.
  let finalUpTo = Math.min(finalized.value.block, last.finalized.block);
  // A full round may hold only a part of the last block.
  const highest = inclusions.at(-1);
  if (highest && inclusions.length === inclusionsMax) finalUpTo = Math.min(finalUpTo, highest.block - 1);
  for (const inclusion of inclusions) {
    const { txHash, block } = inclusion;
    const check = await checkInclusion(rpc, inclusion);
    if (!check.ok) return last;
    if (check.value === 'shown') continue;
    finalUpTo = Math.min(finalUpTo, block - 1);
    // The node shows no receipts now. The settlement stands, and waits for its finality.
    if (check.value === 'listed') continue;
    if (!last.missing.has(txHash)) {
      missing.add(txHash);
      continue;
    }
    // The transaction is gone, or in another block with another effect. The relayer worker follows it again.
    const { length: payments } = await store.reopen(txHash);
    log.warn(
      { txHash, payments },
      'A reorganisation removed a settlement. The relayer worker follows it again.',
    );
    work.notify();
  }
  await changeAll(() => store.finalise(finalUpTo), closing);
  return { finalized: finalized.value, missing };
}
