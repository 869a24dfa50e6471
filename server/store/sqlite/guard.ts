import { describeStaleLease } from '../lease-rules.ts';
import { type RelayerLease, StaleFence } from '../relayer-lease.ts';

import type { Statements } from './database.ts';

/** Throws `StaleFence` unless the lease is held under the same fence. */
export type Guard = (lease: RelayerLease) => void;

export function createGuard({ one }: Statements): Guard {
  return ({ relayer, fence }) => {
    const row = one(
      'SELECT 1 FROM relayer_lease WHERE relayer = ? AND fence = ? AND owner IS NOT NULL',
      relayer,
      fence,
    );
    if (row === undefined) throw new StaleFence(describeStaleLease(relayer, fence));
  };
}
