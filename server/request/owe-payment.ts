import { LeaseLost } from '../store/relayer-lease.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { UnixSeconds } from '../types/units.ts';
import type { MadeCompletion } from './make-completion.ts';
import { type RetryWritePorts, retryWrite } from './retry-write.ts';

/** A payment on its way to be owed. */
export type Owing = {
  /**
   * The end. `released`: it was given up in time, and nothing is charged. `lost`: the lease ended, and another request
   * may have the payment. Rejects for a defect at the first try.
   */
  readonly result: Promise<'owed' | 'released' | 'lost'>;
  /** Releases the payment, unless it is owed: the model stopped. */
  giveUp(): void;
};

/**
 * Makes a reserved payment owed (D-272). While the store fails, it tries again until the lease ends. A failed try may
 * have succeeded, so the payment is read before it is released.
 */
export function owePayment(payment: PaymentRecord, ports: RetryWritePorts): Owing {
  const { store } = ports;
  let isGivenUp = false;
  let isReleased = false;
  const write = async () => {
    if (!isGivenUp) return store.owe(payment.id);
    if ((await store.find(payment.id))?.isOwed) return;
    await store.release(payment.id);
    isReleased = true;
  };
  const owe = async () => {
    const { done } = await retryWrite(payment, write, ports);
    if (!(await done)) return 'lost';
    return isReleased ? 'released' : 'owed';
  };
  return {
    result: owe(),
    giveUp() {
      isGivenUp = true;
    },
  };
}

/** Writes the completion of an owed payment, with retries until its lease ends. Returns whether it was written. */
export async function writeOwed(
  payment: PaymentRecord,
  { completion, proof }: MadeCompletion,
  ports: RetryWritePorts,
): Promise<boolean> {
  const { store } = ports;
  const { id, leaseUntil } = payment;
  const write = async () => {
    try {
      await store.completeOwed(id, leaseUntil, completion, proof);
    } catch (cause) {
      const now = cause instanceof LeaseLost ? await readLease(payment, ports) : null;
      if (now === null) throw cause;
      await store.completeOwed(id, now, completion, proof);
    }
  };
  const { done } = await retryWrite(payment, write, ports);
  return done;
}

/**
 * Ends the lease of a run without a completion, so that the next request waits only for the rest. Retries in the
 * background.
 */
export async function endOwedRun(
  payment: PaymentRecord,
  ports: RetryWritePorts,
  restSeconds = 0,
): Promise<void> {
  const end = async () => {
    const leaseUntil = await readLease(payment, ports);
    if (leaseUntil !== null) await ports.store.endOwedRun(payment.id, leaseUntil, restSeconds);
  };
  await retryWrite(payment, end, ports);
}

/**
 * Reads the end of the lease of a run; null when another run has the payment. The end moves when the server of a
 * shared store corrects its clock, or when another server takes over (D-139).
 */
async function readLease(
  { id, owedRuns }: PaymentRecord,
  { store }: RetryWritePorts,
): Promise<UnixSeconds | null> {
  const now = await store.find(id);
  return now?.isOwed && now.owedRuns === owedRuns ? now.leaseUntil : null;
}
