import { setTimeout as pause } from 'node:timers/promises';
import type { KeptProof } from '../store/proof-store.ts';
import { LeaseLost } from '../store/relayer-lease.ts';
import { type Claim, type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { keyOf, type PaidPorts } from './paid-request.ts';

type RetryWritePorts = Pick<PaidPorts, 'clock' | 'log' | 'store' | 'inFlight' | 'limits'>;

/** First pause before the store is asked again; it doubles, up to the longest. */
const pauseMs = 50;
const pauseMsMax = 1_000;

/**
 * Writes the answer of a reservation and its proof down. A store that does not take it is asked again while the lease lasts, for the
 * answer is nowhere else (D-64). `later` when the caller has waited long enough, and the asking goes on; `lost` when the lease
 * ran out, and the answer is forgotten.
 */
export async function writeExecuted(
  payment: PaymentRecord,
  answer: string,
  proof: KeptProof | null,
  ports: RetryWritePorts,
): Promise<'kept' | 'later' | 'lost'> {
  const { done } = await retryWrite(payment, () => ports.store.execute(payment.id, answer, proof), ports);
  const answered = new AbortController();
  const timeOut = pause(ports.limits.settlementWaitMs, 'later' as const, { signal: answered.signal });
  const kept = done.then((isDone) => (isDone ? 'kept' : 'lost'));
  return Promise.race([kept, timeOut.catch(() => 'later' as const)]).finally(() => answered.abort());
}

/**
 * A claim that the store may have made, or may make yet, and that nobody will use: given back as soon as the store says.
 * It would stand in the way of the same payment until its lease ran out.
 */
export function releaseReservation(claim: Claim, ports: RetryWritePorts): void {
  const { store, inFlight } = ports;
  const { asset, authorization, fingerprint, leaseUntil } = claim;
  const undo = async () => {
    const made = await store.lookUp(asset, authorization.from, authorization.nonce);
    const isOurs = made?.fingerprint === fingerprint && made.leaseUntil === leaseUntil;
    if (made?.state === 'reserved' && isOurs) await store.release(made.id);
  };
  inFlight.outlive(keyOf(authorization), again(claim, undo, ports));
}

/** Gives a reservation back: at once, or, where the store does not take it, as soon as it does, with nobody waiting. */
export async function releasePayment(payment: PaymentRecord, ports: RetryWritePorts): Promise<void> {
  await retryWrite(payment, () => ports.store.release(payment.id), ports);
}

/**
 * Does it, or begins to do it again and again until the lease of the reservation is over. `done` says whether it was done in
 * the end, and never rejects; a defect of the first time is thrown. Until then the request counts as under way.
 */
async function retryWrite(
  payment: PaymentRecord,
  work: () => Promise<void>,
  ports: RetryWritePorts,
): Promise<{ readonly done: Promise<boolean> }> {
  try {
    await work();
    return { done: Promise.resolve(true) };
  } catch (cause) {
    if (cause instanceof LeaseLost) {
      ports.log.warn(
        { payment: payment.id },
        'The lease of a reservation ran out. The completion is not charged.',
      );
      return { done: Promise.resolve(false) };
    }
    if (!(cause instanceof StoreUnavailable)) throw cause;
    ports.log.warn({ err: cause, payment: payment.id }, 'the store does not take what became of a payment');
  }
  const done = again(payment, work, ports);
  ports.inFlight.outlive(keyOf(payment.authorization), done);
  return { done };
}

async function again(
  { leaseUntil, ...claim }: Claim & { readonly id?: number },
  work: () => Promise<void>,
  { clock, log }: RetryWritePorts,
): Promise<boolean> {
  const payment = claim.id ?? null;
  for (let ms = pauseMs; clock.steadySeconds() < leaseUntil; ms = Math.min(ms * 2, pauseMsMax)) {
    // A process that has nothing else left to do may end: the lease ends without it.
    await pause(ms, undefined, { ref: false });
    try {
      await work();
      log.info({ payment }, 'the store took what became of a payment');
      return true;
    } catch (cause) {
      if (cause instanceof StoreUnavailable) continue;
      // Somebody else took it for abandoned.
      log.error({ err: cause, payment }, 'what became of a payment came too late for the store');
      return false;
    }
  }
  log.error({ payment }, 'the store did not take what became of a payment while its lease lasted');
  return false;
}
