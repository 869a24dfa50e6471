import type {
  PaymentAuthorization,
  PaymentReceipt,
  PaymentRequirements,
} from '@paid-inference/contract/types';
import type { Refusal } from './rules.ts';

/** A step of a paying fetch, for `onStep`. Holds no signature, no prompt and no completion. */
export type Step =
  | { readonly step: 'requested'; readonly method: string; readonly url: string }
  | { readonly step: 'offered'; readonly offer: PaymentRequirements }
  | { readonly step: 'refused'; readonly refusal: Refusal; readonly offer: PaymentRequirements | null }
  | {
      readonly step: 'signed';
      readonly authorization: PaymentAuthorization;
      /** The first and last digits of the signature. */
      readonly signaturePreview: string;
    }
  /** `attempt` counts from 1. Each attempt sends the same authorization. */
  | { readonly step: 'presented'; readonly attempt: number; readonly nonce: string }
  | { readonly step: 'waiting'; readonly waitMs: number; readonly because: string }
  | { readonly step: 'responded'; readonly status: number }
  | { readonly step: 'receipt'; readonly receipt: PaymentReceipt; readonly replayed: boolean }
  | { readonly step: 'receipt-fault'; readonly message: string }
  /** The journal could not note the end of a payment. A later equal request may send the payment again. */
  | { readonly step: 'journal-fault'; readonly message: string };
