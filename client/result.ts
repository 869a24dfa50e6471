import type {
  Attestation,
  CatalogModel,
  PaymentReceipt,
  PaymentRequirements,
  ProofRecord,
} from '@paid-inference/contract/types';
import type { PaymentOutcome } from './payment/outcome.ts';
import type { RefusalReason } from './payment/rules.ts';

/** An answer that was paid for. */
export type Completed<Completion> = {
  readonly kind: 'completion';
  readonly completion: Completion;
  readonly payment: PaymentOutcome;
  /** The gateway's proof of settlement; null where it showed none that fits, and `receiptFault` says why. */
  readonly receipt: PaymentReceipt | null;
  readonly receiptFault: string | null;
  /** The stored answer of this very payment was sent again (D-19). */
  readonly replayed: boolean;
  /** Fields of the request that the gateway did not read (D-09). */
  readonly ignoredFields: readonly string[];
  readonly requestId: string | null;
};

/** Not paid for: by our rules, which sign nothing, or by the gateway, which did not take the payment. */
export type Refused = {
  readonly kind: 'refused';
  readonly message: string;
  readonly offer: PaymentRequirements | null;
  readonly payment: PaymentOutcome;
} & (
  | { readonly by: 'rules'; readonly reason: RefusalReason }
  /** `reason` is the gateway's own: an x402 reason string (D-03). */
  | { readonly by: 'gateway'; readonly reason: string }
);

/** The gateway answered, but not with what was asked for. */
export type Failed = {
  readonly kind: 'error';
  readonly status: number;
  /** Code and type are null where the answer is not the contract's error envelope. */
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
  /** Where in the request it is (D-08). */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly payment: PaymentOutcome;
};

/** No answer came. Where `payment` is `maybe-charged`, the same call presents the same payment again. */
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
