import type { Log } from '../observe/log.ts';
import { type RelayerLease, StaleFence } from '../store/relayer-lease.ts';
import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import { createLeaseHolder, type LeaseHolderPorts } from './lease-holder.ts';

export type WorkerPorts = LeaseHolderPorts & {
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: AbortSignal;
  /** Log messages: another process has the lease now, and a step failed. */
  readonly messages: { readonly takenOver: string; readonly failed: string };
  /** One step, under the lease. It waits by itself where there is no work. */
  readonly step: (lease: RelayerLease) => Promise<void>;
  /** Called in place of a step while another process has the lease. */
  readonly onOtherHolder?: () => void;
  /** Called once the loop has ended, before the lease is released. */
  readonly onClosing?: () => Promise<void>;
};

/** The loop of one relayer. */
export type Worker = {
  /** Resolves when the worker was told to close and has ended its step. Open work is in the store. */
  readonly done: Promise<void>;
  /** Renews the lease in good time. Throws `StaleFence` when another process has it. */
  stillHolds(): Promise<void>;
  /** The same, as an answer. */
  isHolder(): Promise<boolean>;
};

const retryMs = 1_000;

/**
 * Takes one step after the other for as long as this process holds the lease. A step that throws costs a second: the next
 * one starts from the store again.
 */
export function startWorker(ports: WorkerPorts): Worker {
  const { hold, stumble, release } = createLeaseHolder(ports);
  const { closing } = ports;
  const isHolder = async () => (await hold()) !== null;
  return { done: run(), isHolder, stillHolds };

  async function run(): Promise<void> {
    // The caller has the worker in hand before its first step.
    await Promise.resolve();
    while (!closing.aborted) {
      try {
        const lease = await hold();
        if (lease !== null) await ports.step(lease);
        else {
          ports.onOtherHolder?.();
          await pause(retryMs, closing);
        }
      } catch (cause) {
        stumble();
        report(cause, ports);
        await pause(retryMs, closing);
      }
    }
    await ports.onClosing?.();
    await release();
  }

  async function stillHolds(): Promise<void> {
    if (!(await isHolder())) throw new StaleFence('the lease ran out');
  }
}

function report(cause: unknown, { log, relayer, messages }: WorkerPorts): void {
  if (cause instanceof StaleFence) log.warn({ relayer }, messages.takenOver);
  else log.error({ err: cause, relayer }, messages.failed);
}
