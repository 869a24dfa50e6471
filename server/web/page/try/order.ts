import type { ChatCompletionRequest, SettlementType } from '@paid-inference/contract/types';

/** What the visitor buys. */
export type Order = { readonly body: ChatCompletionRequest; readonly settlementType: SettlementType };

/** An order with the price that the visitor sees before the signature. */
export type Priced = Order & { readonly price: bigint };
