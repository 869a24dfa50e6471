import type { SettlementType } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import type { Inclusion } from '../types/inclusion.ts';
import type { PaymentState } from '../types/payment-states.ts';
import type { Address, AtomicAmount, Bytes32, Hex, UnixSeconds } from '../types/units.ts';
import type { AllowanceStore } from './allowances.ts';
import type { CompletionStore } from './completion-store.ts';
import type { OwedState, OwedStore } from './owed.ts';
import type { KeptProof, ProofStore } from './proof-store.ts';
import type { Purchase, PurchaseStore } from './purchase.ts';
import type { RelayerLease } from './relayer-lease.ts';
import type { TotalsStore } from './totals.ts';

/** The chain and token of a store. A payment of another chain or token does not belong to the store (D-67). */
export type StoreChain = { readonly chainId: number; readonly asset: Address };

/** The claim of an authorization by a reservation. Unique by chain, asset, payer and nonce (D-18). */
export type Claim = {
  readonly asset: Address;
  readonly authorization: Authorization;
  /** That of a key, or that of a contract wallet with a mark (`keepWalletSignature`). */
  readonly signature: Hex;
  /** Hash of the paid request. The same payment with another request is invalid (D-19). */
  readonly fingerprint: string;
  readonly settlementType: SettlementType;
  /** When every gateway may release the reservation, or take the owed payment: the run must have ended by then. */
  readonly leaseUntil: UnixSeconds;
};

/** Replaces the fingerprint of a `private` request that was released or dropped. No request has it. */
export const noFingerprint = '';

type ClaimState = Claim & OwedState;

/** A payment in the store. */
export type PaymentRecord = ClaimState & {
  /** The id of one claim. An authorization that is claimed again after a release gets a new id. */
  readonly id: number;
  readonly state: PaymentState;
  readonly createdAt: UnixSeconds;
  /** The response body as sent, from `executed` on; null while it is owed, and after it was dropped. */
  readonly completion: string | null;
  /** The proof as sent in `X-INFERENCE-PROOF`; null when there was none, or when the completion was dropped. */
  readonly proof: string | null;
  readonly txHash: Bytes32 | null;
  /** Why the payment failed. */
  readonly failure: string | null;
};

/** What became of a payment, without its completion. */
export type PaymentOutcome = Pick<PaymentRecord, 'id' | 'state' | 'txHash' | 'failure'>;

/** A payer's balance, and the block of the reading or an earlier block. */
export type BalanceReading = {
  readonly balance: AtomicAmount;
  readonly block: number;
  readonly readAt: UnixSeconds;
};

export type Reserved =
  | { readonly kind: 'reserved'; readonly payment: PaymentRecord }
  /**
   * This authorization was reserved before, or joins this payment. `sameRequest` distinguishes a repetition from
   * a second use.
   */
  | { readonly kind: 'known'; readonly payment: PaymentRecord; readonly sameRequest: boolean }
  /** No reading of the balance is fresh enough: read the balance and call again with it. */
  | { readonly kind: 'balance-unknown' }
  | { readonly kind: 'insufficient'; readonly available: AtomicAmount }
  /**
   * The reading is too low, by no more than this payer's payments that are under way. Those may count twice, as
   * transferred and as pending, when the chain took them already. Read the balance again later and call again.
   */
  | { readonly kind: 'unsettled' }
  /** The payer owes an earlier payment. */
  | { readonly kind: 'blocked'; readonly until: UnixSeconds };

/** A signed transaction, written to the store before it is sent, so that a crash does not lose it. */
export type JournaledTransaction = {
  readonly hash: Bytes32;
  readonly raw: Hex;
  readonly relayer: Address;
  readonly relayerNonce: number;
};

/**
 * A relayer nonce whose outcome is unknown: all transactions that were signed for it, newest first, and the
 * payments that are still submitted with it. Payments that were settled, failed, expired or requeued since are
 * not included.
 */
export type OpenNonce = {
  readonly relayerNonce: number;
  readonly transactions: readonly JournaledTransaction[];
  readonly payments: readonly PaymentRecord[];
};

/** The transactions that this store recorded for a payment (D-138). */
export type SentRecord = {
  readonly transactions: readonly Bytes32[];
  /** True when a facilitator was asked to send a transaction. */
  readonly isHandedOver: boolean;
  /** For a payment that was handed over: the known addresses of all facilitators that this store had. */
  readonly senders: readonly Address[];
  /** True when the store has settled the payment, also if a reorganisation took the settlement back. */
  readonly wasSettled: boolean;
};

/**
 * The store of payments. Each promise resolves after the change is on disk, or rejects with `StoreUnavailable`.
 */
export interface Store extends PurchaseStore, OwedStore<PaymentRecord>, CompletionStore, TotalsStore {
  // The reservation (D-18, D-21)

  /**
   * Claims an authorization that is not claimed yet, if the balance less everything pending covers it. If an
   * earlier payment for the purchase can be joined, records the join instead (D-258).
   */
  reserve(
    claim: Claim,
    reading: BalanceReading | null,
    now: UnixSeconds,
    purchase?: Purchase,
  ): Promise<Reserved>;
  /** Finds the payment of an authorization, in any state: its own, or the one that it joined or would join. */
  lookUp(asset: Address, payer: Address, nonce: Bytes32, purchase?: Purchase): Promise<PaymentRecord | null>;
  find(id: number): Promise<PaymentRecord | null>;
  /** Reads what became of payments, in any order. Leaves out payments that the store does not know. */
  readOutcomes(ids: readonly number[]): Promise<readonly PaymentOutcome[]>;
  /**
   * reserved → executed, with the completion for the payer and its proof, if any. Throws `LeaseLost` once the
   * lease ran out. A caller who did not learn the outcome may repeat the call with the same completion; the
   * first write stays.
   */
  execute(id: number, completion: string, proof: KeptProof | null): Promise<void>;
  /**
   * reserved → released: nothing was charged. No effect when already released; throws `LeaseLost` when reserved
   * anew.
   */
  release(id: number): Promise<void>;
  /** reserved → released for every reservation whose lease ran out. Returns their number. */
  releaseAbandoned(now: UnixSeconds): Promise<number>;
  /**
   * Deletes at most `max` payments that were released before a time, and whose leases ended before it. Returns their number.
   */
  pruneReleased(before: UnixSeconds, max: number): Promise<number>;

  // The outbox and the relayer leases

  /**
   * Gives or renews the lease of a relayer until a time; null while another owner holds it. An owner is one
   * process: two processes with one name could both write. A new owner gets a higher fence, and payments that
   * were claimed but not submitted are free again.
   */
  leaseRelayer(
    relayer: Address,
    owner: string,
    until: UnixSeconds,
    now: UnixSeconds,
  ): Promise<RelayerLease | null>;
  /** Ends a lease early. No effect when another owner holds it. */
  endLease(lease: RelayerLease): Promise<void>;
  /**
   * Claims executed payments for a relayer, earliest end of validity first. Skips payments of other relayers,
   * and those whose recipient is in `except`. Takes only payments whose `validAfter` is before `now`: the token
   * compares strictly.
   */
  claimExecuted(
    lease: RelayerLease,
    max: number,
    now: UnixSeconds,
    except?: readonly Address[],
  ): Promise<readonly PaymentRecord[]>;
  /**
   * executed or submitted → submitted, with one more transaction that may settle them. A caller who did not
   * learn the outcome may repeat the call. Throws `StaleFence`, as do `claimExecuted`, `requeue`, `closeNonce`
   * and `abandonNonce`.
   */
  submit(lease: RelayerLease, ids: readonly number[], transaction: JournaledTransaction): Promise<void>;
  /**
   * submitted → executed: another transaction used their relayer nonce. Also releases payments that this
   * relayer claimed and did not submit.
   */
  requeue(lease: RelayerLease, ids: readonly number[]): Promise<void>;
  /**
   * Closes a relayer nonce whose outcome is known. Its payments were settled, failed, expired or requeued
   * before. Throws when a payment is still submitted with the nonce, because the payment would be lost.
   */
  closeNonce(lease: RelayerLease, relayerNonce: number): Promise<void>;
  /**
   * submitted → executed for the payments of a relayer nonce, and deletes the nonce from the journal. The chain
   * waits for a lower nonce that will never be sent, so the transaction cannot be mined. If it is mined after
   * all, the payments' own nonces prevent a second charge.
   */
  abandonNonce(lease: RelayerLease, relayerNonce: number): Promise<void>;
  /** Returns the open nonces of a relayer, lowest first: those under way, and those from before a crash. */
  openNonces(relayer: Address): Promise<readonly OpenNonce[]>;
  /** Returns the relayers with submitted payments. */
  submittedRelayers(): Promise<readonly Address[]>;
  /** Returns the next nonce that the journal has not used; 0 for a relayer that never sent. */
  nextRelayerNonce(relayer: Address): Promise<number>;
  /**
   * Deletes at most `max` transactions of closed nonces that no payment needs any more: their payments are
   * final or in another transaction. Keeps the newest nonce of each relayer, because the next nonce is counted
   * from it. Returns the number of deleted transactions.
   */
  pruneJournal(max: number): Promise<number>;

  // The record of sent transactions (D-138)

  /**
   * Records that a facilitator is asked to settle an executed payment, and the known addresses that it sends from.
   * Throws when the payment was concluded or released since.
   */
  recordHandover(id: number, senders: readonly Address[]): Promise<void>;
  /** Records the transaction that a facilitator named. */
  recordSent(id: number, txHash: Bytes32): Promise<void>;
  /**
   * Finds the transactions that were submitted for a payment, and those that a facilitator named. The record
   * lasts until the payment is final, or closed by `closeRefused`.
   */
  findSent(id: number): Promise<SentRecord>;

  // The outcome

  /**
   * executed, submitted, failed or expired → settled, by a transaction that was seen on the chain. Also clears
   * the debt of a failed payment, and no longer blocks the payer for it.
   */
  settle(ids: readonly number[], inclusion: Inclusion): Promise<void>;
  /**
   * executed, submitted or settled → failed: the chain did not accept the payment. The completion is withheld
   * and kept until `closeRefused`, because a third party may still send the authorization.
   */
  fail(id: number, failure: string, debt: { readonly blockedUntil: UnixSeconds } | null): Promise<void>;
  /** executed, submitted or settled → expired. The completion is kept as with `fail`. */
  expire(id: number): Promise<void>;
  /**
   * failed → executed: the payer sent the same payment again, and the reading shows enough tokens now. Null and
   * no change when the payment failed for another reason, was retried too often, or has no completion any more,
   * or when the balance less everything pending does not cover it. A debt becomes pending again.
   */
  retry(id: number, reading: BalanceReading, now: UnixSeconds): Promise<PaymentRecord | null>;
  /**
   * Returns the settled transactions from a block on that are not final yet, highest block first. A reorganisation
   * may still remove them.
   */
  recentInclusions(from: number, max: number): Promise<readonly Inclusion[]>;
  /** Returns those up to a block, lowest block first. */
  inclusionsUpTo(block: number, max: number): Promise<readonly Inclusion[]>;
  /** settled → final for payments up to this block, lowest block first, at most `changesMax`. Returns their number. */
  finalise(block: number): Promise<number>;
  /**
   * settled → submitted: a reorganisation removed the transaction, and its relayer nonce is open again. Returns
   * the payments. A third party's transaction has no nonce to open: its payments become `executed`, and any
   * relayer may claim them.
   */
  reopen(txHash: Bytes32): Promise<readonly PaymentRecord[]>;

  // Refused payments, whose authorizations may still settle

  /**
   * Returns failed and expired payments that are not closed, least recently checked first; skips those checked
   * since `checkedBefore`. The payments count as checked now, so that gateways on one store share the work.
   */
  checkRefused(max: number, checkedBefore: UnixSeconds): Promise<readonly PaymentRecord[]>;
  /** Closes payments that the chain can no longer accept, and drops their completions. Settled ones stay as they are. */
  closeRefused(ids: readonly number[]): Promise<void>;

  close(): Promise<void>;
}

/** A store that a driver opened. Only one that several processes share has allowances. */
export interface OpenStore extends Store, ProofStore, Partial<AllowanceStore> {
  /** Why the store is unavailable, as a sentence for readiness and the operator, or null. Never throws. */
  healthIssue(): Promise<string | null>;
}

/**
 * The store cannot be used now, or did not respond in time: the operation may have happened, or may happen
 * later. The client gets 503 with `Retry-After`, never 401 or 402.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
