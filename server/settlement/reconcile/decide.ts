import type { Mined } from '../../chain/chain-view.ts';
import type { CheckTransfer } from '../../chain/check-transfer.ts';
import type { SpentPayment } from '../../chain/find-spender.ts';
import { tracePayment } from '../../chain/token-logs.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import type { Bytes32 } from '../../types/units.ts';
import type { RefusalReason } from '../settler.ts';

/** The decision about one payment, from one reading of the chain or two. */
export type Verdict =
  | { readonly kind: 'paid'; readonly inclusion: Inclusion }
  /** `txHash` is the transaction that spent the authorization, if any. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly txHash: Bytes32 | null }
  | { readonly kind: 'expired' }
  /** Nothing moved, and another transaction may carry the payment. */
  | { readonly kind: 'untouched' }
  /** As `untouched`, but the chain's time has not passed `validAfter` yet. */
  | { readonly kind: 'early' }
  /** As `untouched`, but the token rejects every transfer to the recipient. */
  | { readonly kind: 'stopped' }
  /**
   * The authorization is spent, and no log of the node names the transaction (D-192). `isLate`: its window is
   * over.
   */
  | { readonly kind: 'spent'; readonly isLate: boolean }
  /** The node did not respond, or lacks blocks. Ask again. */
  | { readonly kind: 'unknown' };

/** The readings of a payment through one endpoint. An absent member was not read yet. */
export type ChainView = {
  /** Time of the newest block. It is read first, so that a payment made later shows as made. */
  readonly seconds: bigint;
  /** The transaction that spent the authorization; null where none did, `unseen` where no log names it. */
  readonly spender?: Mined | 'unseen' | null;
  /** Whether that transaction was sent for this store (D-138). */
  readonly isOurs?: boolean | 'unclear';
  readonly balance?: bigint;
  /** The result of a simulated transfer. */
  readonly transfer?: Awaited<ReturnType<CheckTransfer>>;
};

/** The next reading that a decision needs. */
export type Needed = { readonly kind: 'read'; readonly what: Exclude<keyof ChainView, 'seconds'> };

/**
 * Decides about a payment that no transaction of ours made. Another transaction may have made it, the payer may
 * have cancelled it or spent the balance, it may have expired, or the token may reject the transfer.
 */
export function decide(payment: PaymentRecord, view: ChainView): Verdict | Needed {
  const { value, validBefore, validAfter } = payment.authorization;
  if (view.spender === undefined) return { kind: 'read', what: 'spender' };
  if (view.spender === 'unseen') return { kind: 'spent', isLate: view.seconds >= validBefore };
  if (view.spender !== null) return decideSpent(payment, view.spender, view.isOurs);
  if (view.seconds >= validBefore) return { kind: 'expired' };
  if (view.seconds <= validAfter) return { kind: 'early' };
  if (view.balance === undefined) return { kind: 'read', what: 'balance' };
  if (view.balance < value) return { kind: 'refused', reason: 'insufficient_funds', txHash: null };
  if (view.transfer === undefined) return { kind: 'read', what: 'transfer' };
  switch (view.transfer) {
    case 'passes':
      return { kind: 'untouched' };
    case 'reverts':
      return { kind: 'refused', reason: 'invalid_transaction_state', txHash: null };
    case 'stopped':
      return { kind: 'stopped' };
    case 'unknown':
      return { kind: 'unknown' };
  }
}

/** Decides from the transaction that spent a payment's nonce. */
function decideSpent(
  payment: PaymentRecord,
  { logs, txHash, block, blockHash }: Mined,
  isOurs: ChainView['isOurs'],
): Verdict | Needed {
  switch (tracePayment(logs, toExpectedPayment(payment))) {
    case 'paid':
      if (isOurs === undefined) return { kind: 'read', what: 'isOurs' };
      if (isOurs === 'unclear') return { kind: 'unknown' };
      return isOurs
        ? { kind: 'paid', inclusion: { txHash, block, blockHash } }
        : { kind: 'refused', reason: 'third_party_sender', txHash };
    case 'canceled':
      return { kind: 'refused', reason: 'authorization_canceled', txHash };
    case 'used-otherwise':
      return { kind: 'refused', reason: 'authorization_used', txHash };
    case 'absent':
      return { kind: 'unknown' };
  }
}

/**
 * Combines two readings. A transfer that passed in one of them may be tried again: code of the payer may change
 * its result every other block, and other payments must not wait for two readings that agree.
 */
export function agree(first: Verdict | undefined, second: Verdict): Verdict {
  if (isCertain(second) || second.kind === first?.kind) return second;
  const kinds = new Set([first?.kind, second.kind]);
  return kinds.has('untouched') && kinds.has('refused') ? { kind: 'untouched' } : { kind: 'unknown' };
}

/** Returns whether a verdict needs no second reading, because it comes from the logs of a block. */
export function isCertain(verdict: Verdict): boolean {
  return verdict.kind === 'paid' || (verdict.kind === 'refused' && verdict.txHash !== null);
}

/** Returns whether a transaction of ours used the payment's nonce and moved other tokens (D-193). */
export function isMovedOtherwise(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, toExpectedPayment(payment)) === 'used-otherwise';
}

/** Returns whether a mined transaction made this payment, by its logs and never by its status. */
export function isPaidBy(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, toExpectedPayment(payment)) === 'paid';
}

export function toExpectedPayment({ asset, authorization, createdAt }: PaymentRecord): SpentPayment {
  return { asset, createdAt, ...authorization };
}
