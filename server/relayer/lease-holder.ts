import type { RelayerLease } from '../store/relayer-lease.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';

export type LeaseHolderPorts = {
  readonly store: Store;
  readonly clock: Clock;
  /** The relayer's address, or the name of a lease that is no address. */
  readonly relayer: Address;
  /** This process. */
  readonly owner: string;
  readonly leaseSeconds: number;
};

/** A process's hold on a relayer's lease, kept up for as long as it asks. */
export interface LeaseHolder {
  /** Holds the lease, renewing in good time; null while another process has it. */
  hold(): Promise<RelayerLease | null>;
  /** What was claimed and not submitted is to be free again: it is by the next `hold`. */
  stumble(): void;
  /** Gives the lease up. Never throws: a lease that cannot be ended runs out. */
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
  let hasStumbled = false;
  let isFirstHold = true;
  return {
    hold,
    stumble() {
      hasStumbled = true;
    },
    async release() {
      if (held !== null) await store.endLease(held.lease).catch(() => undefined);
    },
  };

  async function hold(): Promise<RelayerLease | null> {
    if (hasStumbled) {
      // What was claimed and not submitted is free only when the lease ends.
      if (held !== null) await store.endLease(held.lease);
      held = null;
      hasStumbled = false;
    }
    const now = clock.steadySeconds();
    if (held !== null && now < held.until - leaseSeconds / 2) return held.lease;
    const until = unixSeconds(now + leaseSeconds);
    const lease = await store.leaseRelayer(relayer, owner, until, now);
    if (lease !== null && held === null && isFirstHold) {
      // An owner of the same name may have died: what it claimed and did not send is free when its lease ends.
      isFirstHold = false;
      await store.endLease(lease);
      return hold();
    }
    held = lease && { lease, until };
    return lease;
  }
}
