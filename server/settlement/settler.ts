import type { PaymentRecord } from '../store/store.ts';
import type { Bytes32 } from '../types/units.ts';

/** Why a payment buys nothing. */
export type RefusalReason =
  /** The tokens moved in a transaction that was not sent for this store (D-138). */
  | 'third_party_sender'
  /** Our own transaction moved the tokens otherwise than the payer signed: the token is none that we can settle in (D-193). */
  | 'moved_otherwise'
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

/** Whether a payment would be settled. `reason` is an x402 reason string, fit to be shown to the payer. */
export type Acceptance =
  | { readonly kind: 'acceptable' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody could be asked, which says nothing of the payment. */
  | { readonly kind: 'unavailable' };

/** Moves the tokens of executed payments, and makes what the chain said durable before it tells. */
export interface Settler {
  /** Asked of a reserved payment before any work is done for it; answers within a bounded time (D-56). */
  verify(payment: PaymentRecord): Promise<Acceptance>;
  /**
   * Settles an executed or submitted payment, or joins the settlement under way. Answers `unknown` when the chain has
   * not spoken within its waiting time; the work then goes on, and a later call joins it. One that was refused, and whose
   * answer is kept, is looked at once more: it may have been charged since (D-63).
   */
  settle(payment: PaymentRecord): Promise<Settlement>;
  /** Why no payment can be settled now, in a sentence for the operator; null when all is well. */
  healthIssue(): Promise<string | null>;
  /** What stops new payments, where that is less than `healthIssue`; where it is absent, `healthIssue` stops them. */
  saleIssue?(): Promise<string | null>;
  /** What is wrong though payments are settled all the same, such as one relayer of several without ether. */
  warning?(): Promise<string | null>;
  /** Stops following the chain; what is unfinished is found again in the store at the next start. */
  close(): Promise<void>;
}
