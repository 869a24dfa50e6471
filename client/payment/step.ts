import type {
  PaymentAuthorization,
  PaymentReceipt,
  PaymentRequirements,
} from '@paid-inference/contract/types';
import type { Refusal } from './rules.ts';

/** What a paying fetch is doing, for whoever watches. Holds no signature, no prompt and no answer. */
export type Step =
  | { readonly step: 'requested'; readonly method: string; readonly url: string }
  | { readonly step: 'offered'; readonly offer: PaymentRequirements }
  | { readonly step: 'refused'; readonly refusal: Refusal; readonly offer: PaymentRequirements | null }
  | {
      readonly step: 'signed';
      readonly authorization: PaymentAuthorization;
      /** Its first and last digits. */
      readonly signaturePreview: string;
    }
  /** `attempt` counts from 1; every one of them carries the same authorization. */
  | { readonly step: 'presented'; readonly attempt: number; readonly nonce: string }
  | { readonly step: 'waiting'; readonly waitMs: number; readonly because: string }
  | { readonly step: 'answered'; readonly status: number }
  | { readonly step: 'receipt'; readonly receipt: PaymentReceipt; readonly replayed: boolean }
  | { readonly step: 'receipt-fault'; readonly message: string };
