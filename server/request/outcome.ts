import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { InvalidRequest } from '../http/param.ts';
import type { InferenceFault } from '../inference/engine.ts';
import type { Address } from '../types/units.ts';
import type { Full } from './inference-slots.ts';
import type { LiveRun } from './live-parts.ts';
import type { Quote } from './quote.ts';

/** A request that needs a payment, or another one. */
type Refused = {
  readonly quote: Quote;
  readonly message: string;
  /** The payer, once the signature of its payment is verified. */
  readonly payer?: Address;
};

/** Every possible end of a request to a paid endpoint. `present` turns each into an HTTP response. */
export type Outcome =
  /** Completion and receipt; `completion` is the exact body of the response. */
  | {
      readonly kind: 'paid';
      readonly paymentId: number;
      readonly completion: string;
      /** The encoded proof of the completion; null for a purchase from before proofs existed. */
      readonly proof: string | null;
      readonly receipt: PaymentReceipt;
      readonly replayed: boolean;
    }
  /** The receipt, and the events of a completion that the model still writes (D-272). */
  | {
      readonly kind: 'streaming';
      readonly paymentId: number;
      readonly receipt: PaymentReceipt;
      readonly replayed: boolean;
      events(includeUsage: boolean): AsyncIterable<string>;
    }
  /** No payment, or a payment that does not match this request (D-03). */
  | (Refused & { readonly kind: 'offer'; readonly reason: string })
  /** A body or a header breaks a rule of the contract. */
  | { readonly kind: 'invalid'; readonly fault: InvalidRequest }
  | (Refused & { readonly kind: 'insufficient-funds' })
  | { readonly kind: 'invalid-signature'; readonly message: string }
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  /** The network of the client sent too many payments that were refused (D-227). */
  | { readonly kind: 'too-many-refusals'; readonly retryAfterSeconds: number }
  /** Nothing was reserved or charged. `full`: what runs as many requests as it may. */
  | { readonly kind: 'overloaded'; readonly full: Full | 'gateway'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAfterSeconds: number }
  /**
   * The payment was accepted, and the charge is still undecided. `newPaymentCosts` is true where a new payment would be
   * another purchase (D-260).
   */
  | {
      readonly kind: 'settlement-pending';
      readonly retryAfterSeconds: number;
      readonly newPaymentCosts?: boolean;
    }
  /** `isCharged`: the payment is charged, and its completion is still owed. Otherwise nothing was charged. */
  | { readonly kind: 'inference-failed'; readonly fault: InferenceFault; readonly isCharged?: true }
  /** The payment is charged, and the gateway makes its completion no more. */
  | { readonly kind: 'refund-due'; readonly message: string };

/** The result of the work that requests share: an outcome, or a run that each of them delivers to its client. */
export type WorkResult = Outcome | { readonly kind: 'running'; readonly run: LiveRun };

/** For a payment that is certainly not charged. */
export function uncharged(message: string, retryAfterSeconds: number): Outcome {
  return { kind: 'unavailable', message: `${message} Nothing was charged.`, retryAfterSeconds };
}
