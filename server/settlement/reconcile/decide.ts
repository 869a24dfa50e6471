import type { Mined } from '../../chain/chain-view.ts';
import type { CheckTransfer } from '../../chain/check-transfer.ts';
import { type ExpectedPayment, tracePayment } from '../../chain/token-logs.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import type { Bytes32 } from '../../types/units.ts';
import type { RefusalReason } from '../settler.ts';

/** What the chain says of one payment. */
export type Verdict =
  | { readonly kind: 'paid'; readonly inclusion: Inclusion }
  /** `txHash` names the transaction that spent the authorization, where one did. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly txHash: Bytes32 | null }
  | { readonly kind: 'expired' }
  /** Nothing moved and nothing forbids it: another transaction may carry it. */
  | { readonly kind: 'untouched' }
  /** The same, but the chain's time is not past `validAfter` yet. */
  | { readonly kind: 'early' }
  /** The same, but the token takes no transfer to the recipient from any payer. */
  | { readonly kind: 'stopped' }
  /** Another transaction spent the authorization, and none of the logs that the node gives says which (D-192). */
  | { readonly kind: 'spent' }
  /** The node did not answer, or has not seen enough of the chain; ask again. */
  | { readonly kind: 'unknown' };

/** What was read of a payment through one endpoint. A member that is absent was not read yet. */
export type ChainView = {
  /** Time of the newest block. It is read first: a payment made after that is then seen as made. */
  readonly seconds: bigint;
  /** The transaction that spent the authorization; null where none did, `unseen` where no log names it. */
  readonly spender?: Mined | 'unseen' | null;
  /** Whether that transaction was sent for this store (D-138). */
  readonly isOurs?: boolean | 'unclear';
  readonly balance?: bigint;
  /** The result of a simulated transfer. */
  readonly transfer?: Awaited<ReturnType<CheckTransfer>>;
};

/** The next thing to read before a payment can be decided. */
export type Needed = { readonly kind: 'read'; readonly what: Exclude<keyof ChainView, 'seconds'> };

/**
 * Decides what became of a payment that no transaction of ours was seen to make. Another transaction may have made it, the
 * payer may have taken the nonce back or emptied the wallet, its time may be over, or the token refuses the transfer.
 */
export function decide(payment: PaymentRecord, view: ChainView): Verdict | Needed {
  const { value, validBefore, validAfter } = payment.authorization;
  if (view.spender === undefined) return { kind: 'read', what: 'spender' };
  if (view.spender === 'unseen') {
    const isLate = view.seconds >= validBefore;
    return isLate ? { kind: 'refused', reason: 'authorization_used', txHash: null } : { kind: 'spent' };
  }
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

/** What the transaction that spent a payment's nonce says of the payment. */
function decideSpent(
  payment: PaymentRecord,
  { logs, txHash, block, blockHash }: Mined,
  isOurs: ChainView['isOurs'],
): Verdict | Needed {
  switch (tracePayment(logs, expectedOf(payment))) {
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
 * What two looks say together. A transfer that passed in one of them may be tried again: code at the payer's account may
 * take every other block, and must not keep the payments of others waiting for two looks that agree.
 */
export function agree(first: Verdict | undefined, second: Verdict): Verdict {
  if (isCertain(second) || second.kind === first?.kind) return second;
  const kinds = new Set([first?.kind, second.kind]);
  return kinds.has('untouched') && kinds.has('refused') ? { kind: 'untouched' } : { kind: 'unknown' };
}

/** Whether a verdict needs no second look: it was read from the logs of a block. */
export function isCertain(verdict: Verdict): boolean {
  return verdict.kind === 'paid' || (verdict.kind === 'refused' && verdict.txHash !== null);
}

/** Whether a transaction of ours used the payment's nonce, and moved other tokens than the payment's (D-193). */
export function isMovedOtherwise(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, expectedOf(payment)) === 'used-otherwise';
}

/** Whether a mined transaction made this payment: by its logs, never by its status. */
export function isPaidBy(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, expectedOf(payment)) === 'paid';
}

export function expectedOf({ asset, authorization }: PaymentRecord): ExpectedPayment {
  return { asset, ...authorization };
}
