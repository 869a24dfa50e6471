import type { SettlementType } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import type { Inclusion } from '../types/inclusion.ts';
import type { PaymentState } from '../types/payment-states.ts';
import type { Address, AtomicAmount, Bytes32, Hex, UnixSeconds } from '../types/units.ts';
import type { KeptProof, ProofStore } from './proof-store.ts';
import type { RelayerLease } from './relayer-lease.ts';

/** What a store belongs to: payments of another chain, or in another token, are none of its own (D-67). */
export type StoreChain = { readonly chainId: number; readonly asset: Address };

/** What is claimed when a payment is reserved. Unique by chain, asset, payer and nonce (D-18). */
export type Claim = {
  readonly asset: Address;
  readonly authorization: Authorization;
  readonly signature: Hex;
  /** Hash of the request that it pays for: the same payment with another request is no payment (D-19). */
  readonly fingerprint: string;
  readonly settlementType: SettlementType;
  /** When the reservation may be given back by anybody, because whoever made it must be dead by then. */
  readonly leaseUntil: UnixSeconds;
};

/** In the place of the fingerprint of a `private` request that was released, or whose answer was dropped; no request has it. */
export const noFingerprint = '';

/** A payment as the store has it. */
export type PaymentRecord = Claim & {
  /** One claim's own: claimed again after it was released, an authorization has another. */
  readonly id: number;
  readonly state: PaymentState;
  /** The response body as sent, from `executed` on; null again once it was dropped. */
  readonly answer: string | null;
  /** The proof of the answer as it was sent in `X-INFERENCE-PROOF`; null where there was none, or the answer was dropped. */
  readonly proof: string | null;
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
  | { readonly kind: 'insufficient'; readonly available: AtomicAmount }
  /**
   * Too little by this reading, and no more than payments of this payer that are on their way: where the chain has taken
   * them already, they are counted twice, as gone and as pending. Read it again a while later and call again.
   */
  | { readonly kind: 'unsettled' }
  /** The payer took work before and left it unpaid. */
  | { readonly kind: 'blocked'; readonly until: UnixSeconds };

/** A signed transaction, written down before it is sent, so that a crash cannot forget it. */
export type JournaledTransaction = {
  readonly hash: Bytes32;
  readonly raw: Hex;
  readonly relayer: Address;
  readonly relayerNonce: number;
};

/**
 * A relayer nonce whose outcome is open: every transaction that was signed for it, newest first, and the payments that
 * are still submitted with it. Those that were settled, failed, expired or requeued since are no longer among them.
 */
export type OpenNonce = {
  readonly relayerNonce: number;
  readonly transactions: readonly JournaledTransaction[];
  readonly payments: readonly PaymentRecord[];
};

/** What this store knows of the transactions that carry a payment (D-138). */
export type SentRecord = {
  readonly transactions: readonly Bytes32[];
  /** A facilitator was asked to send one. */
  readonly isHandedOver: boolean;
};

/** The store of payments. Each promise resolves after the change is on disk. A store that cannot be reached throws `StoreUnavailable`. */
export interface Store {
  // The reservation (D-18, D-21)

  /** Claims an authorization if nobody has and the balance less everything pending covers it. */
  reserve(claim: Claim, reading: BalanceReading | null, now: UnixSeconds): Promise<Reserved>;
  /** What is known of an authorization, whatever became of it. */
  lookUp(asset: Address, payer: Address, nonce: Bytes32): Promise<PaymentRecord | null>;
  find(id: number): Promise<PaymentRecord | null>;
  /**
   * reserved → executed, with the answer that the payer will get and the proof of it, where there is one; throws `LeaseLost`
   * once the lease ran out. The same answer may be handed in again, for a caller who did not learn whether the first time came
   * through; what was written then stays.
   */
  execute(id: number, answer: string, proof: KeptProof | null): Promise<void>;
  /** reserved → released: nothing was charged. Nothing for one that was released already; `LeaseLost` for one reserved anew. */
  release(id: number): Promise<void>;
  /** reserved → released for every reservation whose lease ran out; how many. */
  releaseAbandoned(now: UnixSeconds): Promise<number>;

  // The outbox and the relayer leases

  /**
   * Holds a relayer key for this owner until then, or renews the hold; null while another owner holds it. The owner is one
   * process: a name that two of them share would let both write. Taken over, a relayer has a higher fence, and what it had
   * claimed but not submitted is free again.
   */
  leaseRelayer(
    relayer: Address,
    owner: string,
    until: UnixSeconds,
    now: UnixSeconds,
  ): Promise<RelayerLease | null>;
  /** Gives a relayer up before its time; nothing when somebody else has it by now. */
  endLease(lease: RelayerLease): Promise<void>;
  /**
   * Takes executed payments for a relayer, those first whose time ends first; what another relayer took is passed over. Only
   * payments whose `validAfter` is before `now`: the token compares strictly. None to a recipient in `except`.
   */
  claimExecuted(
    lease: RelayerLease,
    max: number,
    now: UnixSeconds,
    except?: readonly Address[],
  ): Promise<readonly PaymentRecord[]>;
  /**
   * executed or submitted → submitted, with one more transaction that may settle them. The same transaction may be handed
   * in again, for a caller who did not learn whether the first time came through. Throws for a stale fence, as do
   * `claimExecuted`, `requeue`, `closeNonce` and `abandonNonce`.
   */
  submit(lease: RelayerLease, ids: readonly number[], transaction: JournaledTransaction): Promise<void>;
  /**
   * submitted → executed: their relayer nonce was lost, another transaction will carry them. What this relayer claimed and
   * did not submit is given back in the same way.
   */
  requeue(lease: RelayerLease, ids: readonly number[]): Promise<void>;
  /**
   * The outcome of a relayer nonce is known: it is open no longer. What it carried was settled, failed, expired or requeued
   * before; a payment that is still submitted with it would be forgotten, so that throws.
   */
  closeNonce(lease: RelayerLease, relayerNonce: number): Promise<void>;
  /**
   * submitted → executed for what a relayer nonce carries, and the journal forgets the nonce: the chain waits for a lower
   * one that nobody will ever send, so as things are it is never mined. Should it be all the same, the payments' own nonces
   * see to it that nobody is charged twice.
   */
  abandonNonce(lease: RelayerLease, relayerNonce: number): Promise<void>;
  /** The open nonces of a relayer, lowest first: what a crash left, and what is under way. */
  openNonces(relayer: Address): Promise<readonly OpenNonce[]>;
  /** The next nonce that the journal has not used; 0 for a relayer that never sent. */
  nextRelayerNonce(relayer: Address): Promise<number>;
  /**
   * Forgets transactions of closed nonces, so many at most, that no payment can come back to: what they settled is final, or
   * what they carried went elsewhere. The newest nonce of each relayer stays, for the next one is counted from it. How many.
   */
  pruneJournal(max: number): Promise<number>;

  // The record of what was sent (D-138)

  /** Records that a facilitator is asked to settle a payment (null), or the transaction that the facilitator named. */
  recordSent(id: number, txHash: Bytes32 | null): Promise<void>;
  /**
   * The transactions that were submitted for a payment, and those that a facilitator named. The record lasts until the
   * payment is final, or closed by `closeRefused`.
   */
  findSent(id: number): Promise<SentRecord>;

  // The outcome

  /**
   * executed, submitted, failed or expired → settled, by a transaction that the chain was seen to hold. What a failed one
   * owed is paid with it, and the payer is held back no longer for it.
   */
  settle(ids: readonly number[], inclusion: Inclusion): Promise<void>;
  /**
   * executed, submitted or settled → failed: the chain did not take it. The answer is withheld, and kept until
   * `closeRefused`: what was signed may still be sent by anybody.
   */
  fail(id: number, failure: string, debt: { readonly blockedUntil: UnixSeconds } | null): Promise<void>;
  /** executed, submitted or settled → expired. The answer is kept as with `fail`. */
  expire(id: number): Promise<void>;
  /**
   * failed → executed: the payer sent the same payment again, and by this reading the wallet that was empty is not any
   * more. Null, and nothing changes, where it failed for another reason, was tried again too often, its answer is gone, or
   * the balance less everything pending does not cover it. What it owed is pending again and owed no longer.
   */
  retry(id: number, reading: BalanceReading, now: UnixSeconds): Promise<PaymentRecord | null>;
  /** settled, not yet final, lowest block first: what a reorganisation could still take back. */
  settledInclusions(max: number): Promise<readonly Inclusion[]>;
  /** settled → final, everything up to this block. How many. */
  finalise(block: number): Promise<number>;
  /**
   * settled → submitted: the transaction is no longer in the chain; its relayer nonce is open again. The payments of it.
   * Where the transaction was not ours there is no nonce to open, and they go on to `executed`, for any relayer to claim.
   */
  reopen(txHash: Bytes32): Promise<readonly PaymentRecord[]>;

  // Refused, and signed all the same

  /**
   * Failed and expired payments that were not closed, those first that nobody looked at for longest; those looked at since
   * `checkedBefore` are passed over. They count as looked at now, so that gateways on one store share the looking.
   */
  checkRefused(max: number, checkedBefore: UnixSeconds): Promise<readonly PaymentRecord[]>;
  /** The chain can take none of them any more: their answers are forgotten. Nothing for those that settled meanwhile. */
  closeRefused(ids: readonly number[]): Promise<void>;

  // Answers at rest

  /**
   * Forgets an answer that its payer has, with its proof; of a `private` one the fingerprint too, so that no hash of it is
   * left. Nothing where the payment never settled: that answer is still owed.
   */
  dropAnswer(id: number): Promise<void>;
  /** Forgets the answers of payments that settled before then. How many. */
  dropAnswersBefore(settledBefore: UnixSeconds): Promise<number>;
  /** Forgets those of payments that were refused before then; the chain is still asked about them. How many. */
  dropRefusedAnswersBefore(refusedBefore: UnixSeconds): Promise<number>;

  /** Sums for the operator and for tests: what the store believes, by state, in the token's smallest unit. */
  totals(): Promise<ReadonlyMap<PaymentState, { readonly payments: number; readonly amount: bigint }>>;
  close(): Promise<void>;
}

/** A store as a driver opens it. */
export interface OpenStore extends Store, ProofStore {
  /** Why it cannot answer, in a sentence for readiness and the operator; null while it can. Never throws. */
  healthIssue(): Promise<string | null>;
}

/**
 * The store cannot answer now, or did not in time: what was asked for may or may not have happened, or happen yet. The
 * client gets 503 with `Retry-After`, never 401 or 402.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
