import { setTimeout as pause } from 'node:timers/promises';
import type { RpcFault } from '../chain/rpc.ts';
import type { AcceptablePayment } from '../payment/signature.ts';
import type { Purchase } from '../store/purchase.ts';
import { type BalanceReading, type Claim, type Reserved, StoreUnavailable } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { releasePayment, releaseReservation } from './retry-write.ts';

const balanceReadingsMax = 3;
const leaseSlackSeconds = 15;
/** The first pause before an unsettled balance is read again. It doubles up to the maximum. */
const waitStepMs = 100;
const waitStepMsMax = 800;
/** Requests that wait for unsettled balances at once. Each reads the store and the chain in every step. */
const unsettledWaitsMax = 256;

type ReserveRequest = Pick<PricedRequest, 'fingerprint' | 'settlementType' | 'site'> & {
  readonly quote: Pick<PricedRequest['quote'], 'requirements'>;
};
type ReservePorts = Pick<
  PaidPorts,
  'clock' | 'log' | 'store' | 'readPayer' | 'checkTransfer' | 'inFlight' | 'unsettledWaits' | 'limits'
>;

export type Unclaimed =
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'spent' }
  /** The token would refuse the transfer although the balance suffices. */
  | { readonly kind: 'reverting' }
  /** The token accepts no transfers from any payer now. */
  | { readonly kind: 'stopped' };

/**
 * Reserves the authorization, and reads the balance if the store has no fresh reading (D-18, D-21). It
 * simulates the transfer at the same time: inference for a refused transfer would be lost (D-136).
 */
export async function reserve(
  request: ReserveRequest,
  payment: AcceptablePayment,
  { purchase, everybodyLeft }: { readonly purchase: Purchase; readonly everybodyLeft: AbortSignal },
  ports: ReservePorts,
): Promise<Reserved | Unclaimed> {
  const claim = createClaim(request, payment, ports);
  const { authorization, signature } = payment;
  const { from, nonce } = authorization;
  // In parallel: the store knows repetitions, the chain knows spent authorizations and transfers that the token
  // refuses.
  const [claimed, first, check] = await Promise.all([
    tryReserve(claim, null, purchase, ports),
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
  const reserved = await reserveWith(
    { claim, purchase, site: request.site },
    first.value.reading,
    everybodyLeft,
    ports,
  );
  return check === 'reverts' ? checkAgain(reserved, ports) : reserved;
}

/** The claim of a payment for a request. */
export function createClaim(
  { quote, fingerprint, settlementType }: ReserveRequest,
  { authorization, signature }: AcceptablePayment,
  { clock, limits }: Pick<ReservePorts, 'clock' | 'limits'>,
): Claim {
  return {
    asset: quote.requirements.asset as Address,
    authorization,
    signature,
    fingerprint,
    settlementType,
    // The lease covers the inference and the write of the completion. After it the process counts as dead.
    leaseUntil: unixSeconds(clock.steadySeconds() + leaseSecondsFor(limits)),
  };
}

/** How long the lease of a run lasts: for the inference and the write of the completion. */
export function leaseSecondsFor({ inferenceTimeoutMs }: PaidPorts['limits']): number {
  return Math.ceil(inferenceTimeoutMs / 1000) + leaseSlackSeconds;
}

/**
 * Checks again, because the first check may have seen a balance that was too low or used up within the same
 * call.
 */
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
 * The chain responded later than the store. Meanwhile another gateway on this store may have reserved and
 * settled the payment. A gateway stores each transaction before it sends it, so the store knows the payment now.
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
 * Reserves with a reading of the balance. It reads again when the store knows a later settlement, or while
 * earlier payments of this payer are unsettled: they may be deducted on the chain and still pending in the
 * store. This wait ends early when others need its place (D-359).
 */
async function reserveWith(
  { claim, purchase, site }: { readonly claim: Claim; readonly purchase: Purchase; readonly site: string },
  reading: BalanceReading,
  everybodyLeft: AbortSignal,
  ports: ReservePorts,
): Promise<Reserved | Unclaimed> {
  const { from, nonce } = claim.authorization;
  let reserved = await tryReserve(claim, reading, purchase, ports);
  let [readings, stepMs, waitedMs] = [1, waitStepMs, 0];
  let wait: ReturnType<typeof beginWait> | undefined;
  try {
    for (;;) {
      if (reserved.kind === 'unsettled') {
        wait ??= beginWait(site, everybodyLeft, ports);
        if (waitedMs >= ports.limits.unsettledWaitMs || wait.ending.aborted) return reserved;
        waitedMs += await pauseToStep(stepMs, wait.ending, ports.clock);
        stepMs = Math.min(stepMs * 2, waitStepMsMax);
      } else if (reserved.kind !== 'balance-unknown' || ++readings > balanceReadingsMax) return reserved;
      const again = await ports.readPayer(from, nonce);
      if (!again.ok) return unreadable(again.fault, ports);
      reserved = await tryReserve(claim, again.value.reading, purchase, ports);
      if (reserved.kind === 'reserved' && again.value.isSpent) {
        await releasePayment(reserved.payment, ports);
        return { kind: 'spent' };
      }
    }
  } finally {
    wait?.leave();
  }
}

/** Begins a wait that ends when all clients left, or when it gives way. Beyond the limit, another one gives way. */
function beginWait(site: string, everybodyLeft: AbortSignal, { unsettledWaits }: ReservePorts) {
  if (unsettledWaits.size >= unsettledWaitsMax) unsettledWaits.giveWay();
  const { ended, leave } = unsettledWaits.begin(site);
  const gaveWay = new AbortController();
  // Without a reason the signal would make an exception with a stack trace.
  void ended.then(() => gaveWay.abort(null));
  return { ending: AbortSignal.any([everybodyLeft, gaveWay.signal]), leave };
}

/**
 * Sleeps until the clock reaches a multiple of `stepMs`, and returns the milliseconds. Waiting requests wake
 * together and share one call to the chain. With separate pauses a thousand of them would make a thousand
 * calls.
 */
async function pauseToStep(stepMs: number, signal: AbortSignal, clock: Clock): Promise<number> {
  const ms = stepMs - (Math.floor(clock.monotonicMs()) % stepMs);
  await pause(ms, undefined, { signal }).catch(() => undefined);
  return ms;
}

export async function tryReserve(
  claim: Claim,
  reading: BalanceReading | null,
  purchase: Purchase,
  ports: ReservePorts,
): Promise<Reserved> {
  try {
    return await ports.store.reserve(claim, reading, ports.clock.steadySeconds(), purchase);
  } catch (cause) {
    if (cause instanceof StoreUnavailable) releaseReservation(claim, ports);
    throw cause;
  }
}

function unreadable(fault: RpcFault, { log }: ReservePorts): Unclaimed {
  log.warn({ fault }, 'the gateway cannot read a payer from the chain');
  return { kind: 'unavailable' };
}
