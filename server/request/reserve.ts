import { setTimeout as pause } from 'node:timers/promises';
import type { RpcFault } from '../chain/rpc.ts';
import type { AcceptablePayment } from '../payment/verify.ts';
import { type BalanceReading, type Claim, type Reserved, StoreUnavailable } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { releasePayment, releaseReservation } from './retry-write.ts';

const balanceReadingsMax = 3;
const leaseSlackSeconds = 15;
/** First pause before an unsettled balance is read again; it doubles, up to the longest. */
const waitStepMs = 100;
const waitStepMsMax = 800;

type ReserveRequest = Pick<PricedRequest, 'quote' | 'fingerprint' | 'settlementType'>;
type ReservePorts = Pick<
  PaidPorts,
  'clock' | 'log' | 'store' | 'readPayer' | 'checkTransfer' | 'inFlight' | 'limits'
>;

export type Unclaimed =
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'spent' }
  /** The token would refuse the transfer, though the payer has enough. */
  | { readonly kind: 'reverting' }
  /** The token takes no transfers now, from anybody. */
  | { readonly kind: 'stopped' };

/**
 * Claims the authorization, reading the balance where the store has no fresh reading (D-18, D-21). The transfer is
 * simulated at the same time: work for one that the token would refuse is lost (D-136).
 */
export async function reserve(
  request: ReserveRequest,
  { authorization, signature }: AcceptablePayment,
  everybodyLeft: AbortSignal,
  ports: ReservePorts,
): Promise<Reserved | Unclaimed> {
  const claim: Claim = {
    asset: request.quote.requirements.asset as Address,
    authorization,
    signature,
    fingerprint: request.fingerprint,
    settlementType: request.settlementType,
    // Whoever still holds it by then has died: inference had its time, and some to write the answer down.
    leaseUntil: unixSeconds(
      ports.clock.steadySeconds() + Math.ceil(ports.limits.inferenceTimeoutMs / 1000) + leaseSlackSeconds,
    ),
  };
  const { from, nonce } = authorization;
  // All at once: the store knows repetitions, the chain knows what is spent, whoever spent it, and what the token refuses.
  const [claimed, first, check] = await Promise.all([
    claimWith(claim, null, ports),
    ports.readPayer(from, nonce),
    ports.checkTransfer(authorization, signature),
  ]);
  if (claimed.kind === 'known') return claimed;
  const isRefused = check === 'reverts' || check === 'stopped';
  if (claimed.kind === 'reserved') {
    if (first.ok && !first.value.isSpent && !isRefused) return claimed;
    await releasePayment(claimed.payment, ports);
  }
  if (!first.ok) return unreadable(first.fault, ports);
  if (first.value.isSpent) return spentBy(claim, ports);
  if (check === 'stopped') return { kind: 'stopped' };
  const reserved = await reserveWith(claim, first.value.reading, everybodyLeft, ports);
  return check === 'reverts' ? checkAgain(reserved, ports) : reserved;
}

/** The first check may have met a balance that was too low, or that others used up in the same call. */
async function checkAgain(
  reserved: Reserved | Unclaimed,
  ports: ReservePorts,
): Promise<Reserved | Unclaimed> {
  if (reserved.kind !== 'reserved') return reserved;
  const { authorization, signature } = reserved.payment;
  const check = await ports.checkTransfer(authorization, signature, true);
  if (check !== 'reverts' && check !== 'stopped') return reserved;
  await releasePayment(reserved.payment, ports);
  return { kind: check === 'stopped' ? 'stopped' : 'reverting' };
}

/**
 * The chain answered later than the store: what another gateway on it claimed and settled in between is spent, and is known.
 * Its transaction was in the store before it was sent, so that the store says it now.
 */
async function spentBy(
  { asset, authorization: { from, nonce }, fingerprint }: Claim,
  { store }: ReservePorts,
): Promise<Reserved | Unclaimed> {
  const payment = await store.lookUp(asset, from, nonce);
  if (payment === null || payment.state === 'released') return { kind: 'spent' };
  return { kind: 'known', payment, sameRequest: payment.fingerprint === fingerprint };
}

/**
 * Claims with a reading of the balance, and with a newer one where the store knows of a later settlement, or where earlier
 * payments of this payer are on their way: they may be gone from the balance and pending all the same.
 */
async function reserveWith(
  claim: Claim,
  reading: BalanceReading,
  everybodyLeft: AbortSignal,
  ports: ReservePorts,
): Promise<Reserved | Unclaimed> {
  const { from, nonce } = claim.authorization;
  let reserved = await claimWith(claim, reading, ports);
  let [readings, stepMs, waitedMs] = [1, waitStepMs, 0];
  for (;;) {
    if (reserved.kind === 'unsettled') {
      if (waitedMs >= ports.limits.unsettledWaitMs || everybodyLeft.aborted) return reserved;
      waitedMs += await pauseToStep(stepMs, everybodyLeft, ports.clock);
      stepMs = Math.min(stepMs * 2, waitStepMsMax);
    } else if (reserved.kind !== 'balance-unknown' || ++readings > balanceReadingsMax) return reserved;
    const again = await ports.readPayer(from, nonce);
    if (!again.ok) return unreadable(again.fault, ports);
    reserved = await claimWith(claim, again.value.reading, ports);
    if (reserved.kind === 'reserved' && again.value.isSpent) {
      await releasePayment(reserved.payment, ports);
      return { kind: 'spent' };
    }
  }
}

/**
 * Sleeps until the clock comes to a whole step, and says how long. All who wait wake together, so that their readings go to
 * the chain in one call; with pauses of their own, a thousand of them would be a thousand calls.
 */
async function pauseToStep(stepMs: number, signal: AbortSignal, clock: Clock): Promise<number> {
  const ms = stepMs - (Math.floor(clock.monotonicMs()) % stepMs);
  await pause(ms, undefined, { signal }).catch(() => undefined);
  return ms;
}

async function claimWith(
  claim: Claim,
  reading: BalanceReading | null,
  ports: ReservePorts,
): Promise<Reserved> {
  try {
    return await ports.store.reserve(claim, reading, ports.clock.steadySeconds());
  } catch (cause) {
    if (cause instanceof StoreUnavailable) releaseReservation(claim, ports);
    throw cause;
  }
}

function unreadable(fault: RpcFault, { log }: ReservePorts): Unclaimed {
  log.warn({ fault }, 'a payer cannot be read from the chain');
  return { kind: 'unavailable' };
}
