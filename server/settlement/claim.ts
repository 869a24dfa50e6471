import { walletCallsBytesMax } from '../chain/transfer-batch.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, type UnixSeconds, unixSeconds } from '../types/units.ts';
import { countWalletBytes } from './call.ts';

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

/** Most claims for one transaction: enough to pass as many wallets as a gateway serves at once. */
const claimsMax = 12;

/**
 * Claims payments for one transaction. Contract wallets have a limited part of its bytes. When they need more, it
 * claims again, so that many wallets do not keep the payments of keys out of the transaction (D-293). The caller
 * frees the payments `beyond`.
 */
export async function claimFitting(
  lease: RelayerLease,
  { max, ...options }: ClaimOptions,
  claim: ClaimPayments,
): Promise<{ readonly fitting: readonly PaymentRecord[]; readonly beyond: readonly PaymentRecord[] }> {
  const [fitting, beyond]: [PaymentRecord[], PaymentRecord[]] = [[], []];
  let walletBytes = 0;
  for (let claims = 0; claims < claimsMax && fitting.length < max; claims += 1) {
    const room = max - fitting.length;
    const claimed = await claim(lease, { ...options, max: room });
    for (const payment of claimed) {
      const bytes = countWalletBytes(payment);
      const isFitting = bytes === 0 || walletBytes === 0 || walletBytes + bytes <= walletCallsBytesMax;
      if (isFitting) walletBytes += bytes;
      (isFitting ? fitting : beyond).push(payment);
    }
    if (beyond.length === 0 || claimed.length < room) break;
  }
  return { fitting, beyond };
}
