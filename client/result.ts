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

/** A paid completion that arrives in chunks. The receipt is known before the first chunk. */
export type Streamed<Chunk, Completion> = Omit<Completed<Completion>, 'kind' | 'completion'> & {
  readonly kind: 'stream';
  /**
   * The chunks as they arrive. After a broken stream they continue with the rest. A chunk with another `id` begins
   * the completion again, because the gateway ran the request again.
   */
  readonly chunks: AsyncIterable<Chunk>;
  /**
   * Reads the remaining chunks, and returns the whole completion. If it did not arrive, this sends the same payment
   * again.
   */
  whole(): Promise<PaidResult<Completion>>;
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

/**
 * No response, or a stream that broke. When `payment` is `maybe-charged` or `settled`, the same call sends the same
 * payment again.
 */
export type Unreached = {
  readonly kind: 'network';
  readonly message: string;
  readonly payment: PaymentOutcome;
};

/** `stream`, unless the gateway sent a whole completion, or none. */
export type StreamResult<Chunk, Completion> = Streamed<Chunk, Completion> | PaidResult<Completion>;
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
