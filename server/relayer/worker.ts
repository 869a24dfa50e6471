import type { Log } from '../observe/log.ts';
import { type RelayerLease, StaleFence } from '../store/relayer-lease.ts';
import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import { createLeaseHolder, type LeaseHolderPorts } from './lease-holder.ts';

export type WorkerPorts = LeaseHolderPorts & {
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: AbortSignal;
  /** Log messages: `takenOver` when another process has the lease, `failed` when a step threw. */
  readonly messages: { readonly takenOver: string; readonly failed: string };
  /** One step, under the lease. The step itself waits when there is no work. */
  readonly step: (lease: RelayerLease) => Promise<void>;
  /** Called instead of a step while another process has the lease. */
  readonly onOtherHolder?: () => void | Promise<void>;
  /** Called after a step threw, before the lease is taken anew. */
  readonly onFailure?: () => Promise<void>;
  /** Called after the loop, before the lease is released. */
  readonly onClosing?: () => Promise<void>;
};

/** The loop of one relayer. */
export type Worker = {
  /** Resolves when the worker has closed and ended its step. The store holds open work. */
  readonly done: Promise<void>;
  /** Renews the lease in good time. Throws `StaleFence` when another process has it. */
  stillHolds(): Promise<void>;
  /** Renews the lease and returns whether this process has it. */
  isHolder(): Promise<boolean>;
};

const retryMs = 1_000;

/**
 * Runs steps while this process holds the lease. After a step that throws, the worker waits a second and starts
 * again from the store.
 */
export function startWorker(ports: WorkerPorts): Worker {
  const { hold, startOver, release } = createLeaseHolder(ports);
  const { closing } = ports;
  const isHolder = async () => (await hold()) !== null;
  return { done: run(), isHolder, stillHolds };

  async function run(): Promise<void> {
    // The first step starts after the caller has the worker.
    await Promise.resolve();
    while (!closing.aborted) {
      try {
        const lease = await hold();
        if (lease !== null) await ports.step(lease);
        else {
          await ports.onOtherHolder?.();
          await pause(retryMs, closing);
        }
      } catch (cause) {
        await ports.onFailure?.();
        startOver();
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
