export type { SavedExchange } from '@paid-inference/contract/types';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export { createPayingFetch } from './create-paying-fetch.ts';
export { type PayerOptions, PaymentOutcomeUnknown } from './pay.ts';
export type { PaymentSigner } from './payment/authorization.ts';
export type { Journal } from './payment/journal.ts';
export type { PaymentOutcome } from './payment/outcome.ts';
export type { Refusal, RefusalReason, SpendingRules } from './payment/rules.ts';
export type { Fetch } from './payment/send.ts';
export type { Step } from './payment/step.ts';
export {
  signerFromProvider,
  type WalletOptions,
  type WalletProvider,
} from './payment/wallet-signer.ts';
export type {
  AttestationResult,
  Completed,
  Failed,
  ModelResult,
  ModelsResult,
  PaidResult,
  ProofResult,
  QuoteResult,
  Refused,
  Streamed,
  StreamResult,
  Unreached,
} from './result.ts';
export { type ExchangeReading, readExchange } from './saved-exchange.ts';
