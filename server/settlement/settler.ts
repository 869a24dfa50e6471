import type { PaymentRecord } from '../store/store.ts';
import type { Bytes32 } from '../types/units.ts';

/** The reason why a payment was refused. */
export type RefusalReason =
  /** The tokens moved in a transaction that was not sent for this store (D-138). */
  | 'third_party_sender'
  /**
   * Our own transaction moved the tokens otherwise than signed, so the gateway cannot settle in them (D-193).
   */
  | 'moved_otherwise'
  | 'insufficient_funds'
  | 'authorization_canceled'
  | 'authorization_used'
  | 'payment_expired'
  | 'invalid_transaction_state';

/**
 * The result of a settlement. `unknown` is not a failure: the tokens may still move, so the gateway must not
 * ask the payer to sign again (D-24). `retryAfterSeconds` tells when the chain may be asked, where that is known.
 */
export type Settlement =
  | { readonly state: 'settled'; readonly txHash: Bytes32 }
  | {
      readonly state: 'refused';
      readonly reason: RefusalReason;
      /** The fault may be the facilitator's, so the payer has no debt (D-165). */
      readonly isExcused?: true;
    }
  | { readonly state: 'unknown'; readonly retryAfterSeconds?: number };

/** Whether a payment would be settled. `reason` is an x402 reason string, which the payer may see. */
export type Acceptance =
  | { readonly kind: 'acceptable' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** No facilitator or node responded, which says nothing about the payment. */
  | { readonly kind: 'unavailable' };

/** How a request waits for a settlement. */
type Wait = {
  /** True for a live stream, whose model goes on meanwhile, and for a request that has no place. */
  readonly keepsPlace?: boolean;
  /** The site of the client (D-224). The sites take turns. Without it, the payer counts as a site. */
  readonly site?: string;
};

/** Moves the tokens of executed payments, and stores the chain's decision before it returns it. */
export interface Settler {
  /** Called for a reserved payment before inference. Returns within a bounded time (D-56). */
  verify(payment: PaymentRecord): Promise<Acceptance>;
  /**
   * Settles an executed or submitted payment, or joins the settlement under way. Returns `unknown` when the
   * chain has not decided within the waiting time; the settlement goes on, and a later call joins it. A refused
   * payment whose completion is kept is checked once more, since it may have been charged (D-63).
   */
  settle(payment: PaymentRecord, wait?: Wait): Promise<Settlement>;
  /** Calls `ended` when this process learns how the chain decided a payment, also if no request waits for it. */
  follow(paymentId: number, ended: (settlement: Settlement) => void): void;
  /** The number of requests that only wait for a settlement, and end with it. */
  waiting(): number;
  /**
   * Ends one of these waits with `unknown`, so that its request leaves its place to another: the oldest one of the site
   * with the most. The settlement goes on, and the client may send the payment again (D-359). False if none waits.
   */
  giveWay(): boolean;
  /** Returns the reason why no payment can be settled now, as a sentence for the operator; else null. */
  healthIssue(): Promise<string | null>;
  /**
   * Returns the reason that stops new payments, where that is less than `healthIssue`. Without this function,
   * `healthIssue` stops them.
   */
  saleIssue?(): Promise<string | null>;
  /** Returns a fault that does not stop settlement, such as one relayer of several without ether. */
  warning?(): Promise<string | null>;
  /** Stops following the chain. The next start finds unfinished payments in the store. */
  close(): Promise<void>;
}
