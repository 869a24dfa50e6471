import type { RelayerLease } from '../store/relayer-lease.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';

export type LeaseHolderPorts = {
  readonly store: Store;
  readonly clock: Clock;
  /** The relayer's address, or the name of a lease without an address. */
  readonly relayer: Address;
  /** The name of this process. */
  readonly owner: string;
  readonly leaseSeconds: number;
};

/** Holds a relayer's lease for this process and renews it. */
export interface LeaseHolder {
  /** Returns the lease, renewed in good time; null while another process has it. */
  hold(): Promise<RelayerLease | null>;
  /** Makes the next `hold` end the lease and take a new one. Claimed payments that are not submitted become free. */
  startOver(): void;
  /** Ends the lease. Never throws, because a lease that cannot be ended expires. */
  release(): Promise<void>;
}

export function createLeaseHolder({
  store,
  clock,
  relayer,
  owner,
  leaseSeconds,
}: LeaseHolderPorts): LeaseHolder {
  let held: { lease: RelayerLease; until: number } | null = null;
  let startsOver = false;
  let isFirstHold = true;
  return {
    hold,
    startOver() {
      startsOver = true;
    },
    async release() {
      if (held !== null) await store.endLease(held.lease).catch(() => undefined);
    },
  };

  async function hold(): Promise<RelayerLease | null> {
    if (startsOver) {
      // Claims that are not submitted become free only when the lease ends.
      if (held !== null) await store.endLease(held.lease);
      held = null;
      startsOver = false;
    }
    const now = clock.steadySeconds();
    if (held !== null && now < held.until - leaseSeconds / 2) return held.lease;
    const until = unixSeconds(now + leaseSeconds);
    const lease = await store.leaseRelayer(relayer, owner, until, now);
    if (lease !== null && held === null && isFirstHold) {
      // An earlier process of the same name may have died. Its unsent claims become free when its lease ends.
      isFirstHold = false;
      await store.endLease(lease);
      return hold();
    }
    held = lease && { lease, until };
    return lease;
  }
}
