import { describeStaleLease } from '../lease-rules.ts';
import { type RelayerLease, StaleFence } from '../relayer-lease.ts';
import type { Statements } from './database.ts';

/** Throws `StaleFence` unless the lease is held under the same fence. */
export function requireLease({ one }: Statements, { relayer, fence }: RelayerLease): void {
  const sql = 'SELECT 1 FROM relayer_lease WHERE relayer = ? AND fence = ? AND owner IS NOT NULL';
  if (one(sql, relayer, fence) === undefined) throw new StaleFence(describeStaleLease(relayer, fence));
}
