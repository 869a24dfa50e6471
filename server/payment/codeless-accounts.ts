import type { Clock } from '../types/clock.ts';
import type { Address } from '../types/units.ts';

/**
 * Accounts that had no code a moment ago. A client with many bad signatures of one key then costs one call to the
 * chain, and gets 401 as without contract wallets (D-293).
 */
export type CodelessAccounts = {
  readonly note: (account: Address) => void;
  readonly has: (account: Address) => boolean;
};

/** A wallet that is deployed meanwhile waits at most this long. */
const keepMs = 10_000;
const accountsMax = 10_000;

export function createCodelessAccounts(clock: Clock): CodelessAccounts {
  /** The end of each entry, oldest first. */
  const ends = new Map<Address, number>();
  return {
    note(account) {
      ends.delete(account);
      ends.set(account, clock.monotonicMs() + keepMs);
      const [oldest] = ends.keys();
      if (ends.size > accountsMax && oldest !== undefined) ends.delete(oldest);
    },
    has: (account) => (ends.get(account) ?? Number.NEGATIVE_INFINITY) > clock.monotonicMs(),
  };
}
