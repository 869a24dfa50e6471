import type { SettlementType } from '@paid-inference/contract/types';
import type { Authorization } from '../payment/authorization.ts';
import type { Address, AtomicAmount, Bytes32, Hex, UnixSeconds } from '../vocabulary/units.ts';

/**
 * Where a payment stands.
 *
 *     reserved ──▶ executed ──▶ submitted ──▶ settled
 *        │             │            │
 *        ▼             └─────┬──────┘
 *     released             failed
 *
 * Every arrow is one durable, guarded update, made before the HTTP side sees its result. A released authorization was
 * never charged and may be reserved again; a failed one was refused by the chain after the work was done.
 */
export type PaymentState = 'reserved' | 'executed' | 'submitted' | 'settled' | 'released' | 'failed';

/** What is claimed when a payment is reserved. Unique by chain, asset, payer and nonce (D-18). */
export type Claim = {
  readonly asset: Address;
  readonly authorization: Authorization;
  readonly signature: Hex;
  /** Hash of the request that it pays for: the same payment with another request is no payment (D-19). */
  readonly fingerprint: string;
  readonly settlementType: SettlementType;
};

/** A payment as the store has it. */
export type PaymentRecord = Claim & {
  readonly id: number;
  readonly state: PaymentState;
  /** The response body as sent, from `executed` on. */
  readonly answer: string | null;
  readonly txHash: Bytes32 | null;
  /** Why it failed. */
  readonly failure: string | null;
};

/** A payer's balance and the block that it was read at, or an earlier one. */
export type BalanceReading = {
  readonly balance: AtomicAmount;
  readonly block: number;
  readonly readAt: UnixSeconds;
};

export type Reserved =
  | { readonly kind: 'reserved'; readonly payment: PaymentRecord }
  /** This authorization was reserved before; `sameRequest` tells a repetition from an attempt to use it twice. */
  | { readonly kind: 'known'; readonly payment: PaymentRecord; readonly sameRequest: boolean }
  /** No reading of the balance is fresh enough to decide: read it and call again with it. */
  | { readonly kind: 'balance-unknown' }
  | { readonly kind: 'insufficient'; readonly available: AtomicAmount };

/** A signed transaction, written down before it is sent, so that a crash cannot forget it. */
export type JournaledTransaction = {
  readonly hash: Bytes32;
  readonly raw: Hex;
  readonly relayer: Address;
  readonly relayerNonce: number;
};

/** The ledger of payments. Every promise resolves after the change is on disk; trouble throws `StoreUnavailable`. */
export interface Store {
  /** Claims an authorization if nobody has and the balance less everything pending covers it (D-18, D-21). */
  reserve(claim: Claim, reading: BalanceReading | null, now: UnixSeconds): Promise<Reserved>;
  /** reserved → executed, with the answer that the payer will get. */
  execute(id: number, answer: string): Promise<void>;
  /** executed or submitted → submitted, with one more transaction that may settle it. */
  submit(id: number, transaction: JournaledTransaction): Promise<void>;
  /** executed or submitted → settled, by a transaction that the chain was seen to hold. */
  settle(id: number, txHash: Bytes32, block: number): Promise<void>;
  /** reserved → released: nothing was charged. */
  release(id: number): Promise<void>;
  /** executed or submitted → failed: the chain refused, the answer is withheld. */
  fail(id: number, failure: string): Promise<void>;
  find(id: number): Promise<PaymentRecord | null>;
  /** What is known of an authorization, whatever became of it. */
  lookUp(asset: Address, payer: Address, nonce: Bytes32): Promise<PaymentRecord | null>;
  /** Every payment that a crash left before its end. */
  unfinished(): Promise<readonly PaymentRecord[]>;
  /** The transactions that may settle a payment, newest first. */
  transactionsOf(id: number): Promise<readonly JournaledTransaction[]>;
  /** The next nonce that the journal has not used; 0 for a relayer that never sent. */
  nextRelayerNonce(relayer: Address): Promise<number>;
  close(): Promise<void>;
}

/** The store cannot answer now: 503 with `Retry-After`, never 401 or 402. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
