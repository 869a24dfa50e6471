import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptProof } from '../store/proof-store.ts';
import { LeaseLost } from '../store/relayer-lease.ts';
import { type Claim, type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { pause } from '../types/signal.ts';
import { formatKey, type PaidPorts } from './paid-request.ts';

export type RetryWritePorts = Pick<PaidPorts, 'clock' | 'log' | 'store' | 'inFlight' | 'limits'>;

/** The first pause before a write is retried. It doubles up to the maximum. */
const pauseMs = 50;
const pauseMsMax = 1_000;

/**
 * Stores the completion and the proof of a reservation. While the store fails it retries until the lease ends,
 * because the completion is nowhere else (D-64). `later`: the caller's wait is over, and the retries continue.
 * `lost`: the lease ended, and the completion is dropped.
 */
export async function writeExecuted(
  payment: PaymentRecord,
  completion: string,
  proof: KeptProof | null,
  ports: RetryWritePorts,
): Promise<'kept' | 'later' | 'lost'> {
  const { done } = await retryWrite(payment, () => ports.store.execute(payment.id, completion, proof), ports);
  if (typeof done === 'boolean') return done ? 'kept' : 'lost';
  return withinWait(
    done.then((isDone) => (isDone ? 'kept' : 'lost')),
    ports,
  );
}

/** Waits for a write that is retried, but no longer than a request waits for its settlement. */
export async function withinWait<Written>(
  written: Promise<Written>,
  { limits }: Pick<PaidPorts, 'limits'>,
): Promise<Written | 'later'> {
  const over = new AbortController();
  const timeOut = pause(limits.settlementWaitMs, over.signal).then(() => 'later' as const);
  return Promise.race([written, timeOut]).finally(() => over.abort());
}

/**
 * Releases a reservation that the store may have made, or may still make, although its request failed. The
 * reservation would block the same payment until its lease ends.
 */
export function releaseReservation(claim: Claim, ports: RetryWritePorts): void {
  const { store, inFlight } = ports;
  const { asset, authorization, fingerprint, leaseUntil } = claim;
  const undo = async () => {
    const made = await store.lookUp(asset, authorization.from, authorization.nonce);
    const isOurs = made?.fingerprint === fingerprint && made.leaseUntil === leaseUntil;
    // The authorization may have joined another payment.
    const isOwn = made?.authorization.nonce === authorization.nonce;
    if (made?.state === 'reserved' && isOurs && isOwn) await store.release(made.id);
  };
  inFlight.outlive(formatKey(authorization), again(claim, undo, ports));
}

/** Releases a reservation. If the store is unavailable, the retries continue in the background. */
export async function releasePayment(payment: PaymentRecord, ports: RetryWritePorts): Promise<void> {
  await retryWrite(payment, () => ports.store.release(payment.id), ports);
}

/**
 * Runs `work`, and retries it until the lease of the reservation ends. `done` is or resolves to whether it
 * succeeded, and never rejects; a defect at the first try is thrown. Until then the request counts as in progress.
 */
export async function retryWrite(
  payment: PaymentRecord,
  work: () => Promise<void>,
  ports: RetryWritePorts,
): Promise<{ readonly done: boolean | Promise<boolean> }> {
  try {
    await work();
    return { done: true };
  } catch (cause) {
    if (cause instanceof LeaseLost) {
      ports.log.warn(
        { payment: payment.id },
        'The lease of a payment ended before a write. The write is dropped.',
      );
      return { done: false };
    }
    if (!(cause instanceof StoreUnavailable)) throw cause;
    ports.log.warn(
      { err: cause, payment: payment.id },
      'the store is unavailable; the write of a payment is retried',
    );
  }
  const done = again(payment, work, ports);
  ports.inFlight.outlive(formatKey(payment.authorization), done);
  return { done };
}

async function again(
  { leaseUntil, ...claim }: Claim & { readonly id?: number },
  work: () => Promise<void>,
  { clock, log }: RetryWritePorts,
): Promise<boolean> {
  const payment = claim.id ?? null;
  for (let ms = pauseMs; clock.steadySeconds() < leaseUntil; ms = Math.min(ms * 2, pauseMsMax)) {
    // `ref: false` lets an otherwise idle process exit; the lease then ends by itself.
    await sleep(ms, undefined, { ref: false });
    try {
      await work();
      log.info({ payment }, 'the write of a payment succeeded after retries');
      return true;
    } catch (cause) {
      if (cause instanceof StoreUnavailable) continue;
      // The maintenance loop or another process released the reservation.
      log.error({ err: cause, payment }, 'the write of a payment came too late: its lease ended');
      return false;
    }
  }
  log.error({ payment }, 'the write of a payment failed until its lease ended');
  return false;
}
