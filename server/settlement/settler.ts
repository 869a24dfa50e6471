import type { PaymentRecord } from '../store/store.ts';
import type { Bytes32 } from '../vocabulary/units.ts';

/** Why the chain will never take a payment. */
export type RefusalReason =
  | 'insufficient_funds'
  | 'authorization_canceled'
  | 'authorization_used'
  | 'payment_expired'
  | 'invalid_transaction_state';

/**
 * What became of a payment. Unknown is not failure: the money may still move, so the payer must not be asked to sign
 * again (D-24).
 */
export type Settlement =
  | { readonly state: 'settled'; readonly txHash: Bytes32 }
  | { readonly state: 'refused'; readonly reason: RefusalReason }
  | { readonly state: 'unknown' };

/** Moves the tokens of executed payments, and makes what the chain said durable before it tells. */
export interface Settler {
  /**
   * Settles an executed or submitted payment, or joins the settlement under way. Answers `unknown` when the chain has
   * not spoken within its waiting time; the work then goes on, and a later call joins it.
   */
  settle(payment: PaymentRecord): Promise<Settlement>;
  /** Why no payment can be settled now, in a sentence for the operator; null when all is well. */
  trouble(): Promise<string | null>;
  /** Stops following the chain; what is unfinished is found again in the store at the next start. */
  close(): Promise<void>;
}
