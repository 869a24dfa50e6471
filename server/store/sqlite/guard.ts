import { staleLane } from '../lane-rules.ts';
import { type LaneLease, StaleFence } from '../store.ts';
import type { Statements } from './database.ts';

/** Throws for a lane that somebody else holds, or nobody. */
export type Guard = (lease: LaneLease) => void;

export function createGuard({ one }: Statements): Guard {
  return ({ relayer, fence }) => {
    const lane = one(
      'SELECT 1 FROM lane WHERE relayer = ? AND fence = ? AND owner IS NOT NULL',
      relayer,
      fence,
    );
    if (lane === undefined) throw new StaleFence(staleLane(relayer, fence));
  };
}
