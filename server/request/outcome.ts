import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { InferenceFault } from '../inference/engine.ts';
import type { Quote } from './quote.ts';

/** Every end that a request to a paid endpoint can come to. `present` says each in HTTP. */
export type Outcome =
  /** Completion and receipt; `answer` is the body as it is sent, letter by letter. */
  | {
      readonly kind: 'paid';
      readonly paymentId: number;
      readonly answer: string;
      /** The proof of the answer, encoded; null where it was bought when there was nothing to prove for. */
      readonly proof: string | null;
      readonly receipt: PaymentReceipt;
      readonly replayed: boolean;
    }
  /** No payment, or one that is not the payment for this request (D-03). */
  | { readonly kind: 'offer'; readonly quote: Quote; readonly reason: string; readonly message: string }
  | { readonly kind: 'insufficient-funds'; readonly quote: Quote; readonly message: string }
  | { readonly kind: 'invalid-signature'; readonly message: string }
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  /** Nothing was reserved or charged. */
  | { readonly kind: 'overloaded'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAfterSeconds: number }
  /** The payment was taken, and it is not known yet whether it is charged. */
  | { readonly kind: 'settlement-pending'; readonly retryAfterSeconds: number }
  | { readonly kind: 'inference-failed'; readonly fault: InferenceFault };

/** For a payment that is known not to be charged. */
export function uncharged(message: string, retryAfterSeconds: number): Outcome {
  return { kind: 'unavailable', message: `${message} Nothing was charged.`, retryAfterSeconds };
}
