import type { Address } from '../types/units.ts';

/** A relayer key that one process holds. Each write for the relayer must carry the current fence. */
export type RelayerLease = { readonly relayer: Address; readonly fence: number };

/**
 * The lease of a reservation ran out, and the store released the payment. The payer must not be charged for it.
 */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Another process may hold the lease now, so this process must not write for the relayer. */
export class StaleFence extends Error {
  override readonly name = 'StaleFence';
}
