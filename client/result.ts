import type {
  Attestation,
  CatalogModel,
  PaymentReceipt,
  PaymentRequirements,
  ProofRecord,
} from '@paid-inference/contract/types';
import type { PaymentOutcome } from './payment/outcome.ts';
import type { RefusalReason } from './payment/rules.ts';

/** A paid completion. */
export type Completed<Completion> = {
  readonly kind: 'completion';
  readonly completion: Completion;
  readonly payment: PaymentOutcome;
  /**
   * The proof of settlement; null when the gateway sent no valid one, and then `receiptFault` gives the reason.
   */
  readonly receipt: PaymentReceipt | null;
  readonly receiptFault: string | null;
  /** The gateway sent the stored completion of this payment again (D-19). */
  readonly replayed: boolean;
  /** Fields of the request that the gateway ignored (D-09). */
  readonly ignoredFields: readonly string[];
  readonly requestId: string | null;
};

/** Not paid: a spending rule refused before the signature, or the gateway rejected the payment. */
export type Refused = {
  readonly kind: 'refused';
  readonly message: string;
  readonly offer: PaymentRequirements | null;
  readonly payment: PaymentOutcome;
} & (
  | { readonly by: 'rules'; readonly reason: RefusalReason }
  /** `reason` comes from the gateway: an x402 reason string (D-03). */
  | { readonly by: 'gateway'; readonly reason: string }
);

/** The gateway returned another response than the expected one. */
export type Failed = {
  readonly kind: 'error';
  readonly status: number;
  /** Code and type are null when the body is not the contract's error envelope. */
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
  /** The field of the request that the error is about (D-08). */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly payment: PaymentOutcome;
};

/** No response. When `payment` is `maybe-charged`, the same call sends the same payment again. */
export type Unreached = {
  readonly kind: 'network';
  readonly message: string;
  readonly payment: PaymentOutcome;
};

export type PaidResult<Completion> = Completed<Completion> | Refused | Failed | Unreached;
export type QuoteResult =
  | { readonly kind: 'offer'; readonly offer: PaymentRequirements }
  | Failed
  | Unreached;
export type ModelsResult =
  | { readonly kind: 'models'; readonly models: readonly CatalogModel[] }
  | Failed
  | Unreached;
export type ModelResult = { readonly kind: 'model'; readonly model: CatalogModel } | Failed | Unreached;
export type ProofResult = { readonly kind: 'proof'; readonly proof: ProofRecord } | Failed | Unreached;
export type AttestationResult =
  | { readonly kind: 'attestation'; readonly attestation: Attestation }
  | Failed
  | Unreached;
