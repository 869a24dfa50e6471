import type { Address } from '../types/units.ts';

/** A relayer key held by one process; what is written for it must carry the current fence. */
export type RelayerLease = { readonly relayer: Address; readonly fence: number };

/** The lease of a reservation ran out, and the store gave it back: what was done for it must not be charged. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Somebody else holds the lease by now: whatever this process was about to write for it must not be written. */
export class StaleFence extends Error {
  override readonly name = 'StaleFence';
}
