import type { RelayerLease } from '../store/relayer-lease.ts';
import type { PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, type UnixSeconds, unixSeconds } from '../types/units.ts';

/** Later than the begin of every window that the gateway accepts (D-20). */
export const afterEveryBegin: UnixSeconds = unixSeconds(Number.MAX_SAFE_INTEGER);

export type ClaimPorts = {
  readonly store: Pick<Store, 'claimExecuted'>;
  readonly clock: Clock;
  /** How often a worker without other payments claims those whose window has not begun by the clock. */
  readonly allMs: number;
};

type ClaimOptions = {
  readonly max: number;
  /** How far the chain's clock is behind ours. */
  readonly lagSeconds?: number;
  /** The recipients whose payments wait. */
  readonly except?: readonly Address[];
};

/** Claims executed payments for a worker. */
export type ClaimPayments = (lease: RelayerLease, options: ClaimOptions) => Promise<readonly PaymentRecord[]>;

/**
 * Claims payments whose window has begun: payments that are too early for the chain must not take the places of
 * others. The clock may have been set back since the gateway accepted a payment. So, when no other payment
 * waits, the worker sometimes claims all of them, and the chain's time decides (D-139).
 */
export function createClaims({ store, clock, allMs }: ClaimPorts): ClaimPayments {
  let allAtMs = Number.NEGATIVE_INFINITY;
  return async (lease, { max, lagSeconds = 0, except = [] }) => {
    const chainSeconds = unixSeconds(Math.max(0, clock.nowSeconds() - lagSeconds));
    const begun = await store.claimExecuted(lease, max, chainSeconds, except);
    if (begun.length > 0 || clock.monotonicMs() - allAtMs < allMs) return begun;
    allAtMs = clock.monotonicMs();
    return store.claimExecuted(lease, max, afterEveryBegin, except);
  };
}
