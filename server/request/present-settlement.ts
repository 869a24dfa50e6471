import { makeReceipt } from '../payment/receipt.ts';
import type { Settlement } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Bytes32 } from '../types/units.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { PaidOutcome } from './present.ts';
import type { Quote } from './quote.ts';

const retryAfterSeconds = 1;

/** Another process runs the inference for this payment and may charge it. */
export const begunElsewhere = { kind: 'settlement-pending', retryAfterSeconds } as const;

export async function settle(
  request: PricedRequest,
  payment: PaymentRecord,
  replayed: boolean,
  ports: PaidPorts,
): Promise<Outcome> {
  return presentSettlement(request, payment, await ports.settler.settle(payment), replayed);
}

/** Presents a settlement. A payment that is settled needs its completion. */
export function presentSettlement(
  request: PricedRequest,
  payment: PaymentRecord,
  settlement: Settlement,
  replayed: boolean,
): Outcome {
  switch (settlement.state) {
    case 'settled':
      return payment.completion === null
        ? forgotten(request.quote)
        : paid(payment, settlement.txHash, replayed);
    case 'refused':
      return refused(request, settlement.reason, payment.completion !== null);
    case 'unknown':
      return pending(settlement);
  }
}

/** For a payment that may still be charged. */
export function pending({
  retryAfterSeconds = begunElsewhere.retryAfterSeconds,
}: Extract<Settlement, { state: 'unknown' }>): Extract<Outcome, { kind: 'settlement-pending' }> {
  return { kind: 'settlement-pending', retryAfterSeconds };
}

export function paid(payment: PaymentRecord, txHash: Bytes32 | null, replayed: boolean): PaidOutcome {
  if (payment.completion === null || txHash === null)
    throw new Error(`Payment ${payment.id} has no completion or no transaction.`);
  const { id: paymentId, completion, proof } = payment;
  return { kind: 'paid', paymentId, completion, proof, receipt: makeReceipt(payment, txHash), replayed };
}

/**
 * A completion is kept for a limited time, in `private` mode for less. Afterwards the payment buys nothing
 * more.
 */
export function forgotten(quote: Quote): Outcome {
  const message =
    'The completion that this authorization bought is no longer kept. If you did not get it, ask the operator for a ' +
    'refund, and give the nonce. For another completion, sign a new authorization.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/**
 * The chain refused after the inference. The completion is withheld, and a new payment would be accepted
 * (D-23). `isKept`: the store has the completion, so the same payment may be retried.
 */
export function refused(request: PricedRequest, reason: string, isKept: boolean): Outcome {
  if (reason === 'insufficient_funds') {
    const next = isKept
      ? 'With enough in the wallet, send the same request with the same payment again.'
      : 'The completion is no longer kept. Sign a new one.';
    const message = `The balance was too low when the payment was to settle; nothing was charged. ${next}`;
    return { kind: 'insufficient-funds', quote: request.quote, message };
  }
  if (reason === 'third_party_sender') return paidByThirdParty(request.quote);
  if (reason === 'moved_otherwise') return movedOtherwise(request.quote);
  return { kind: 'offer', quote: request.quote, reason, message: describeRefusal(reason) };
}

function describeRefusal(reason: string): string {
  switch (reason) {
    case 'invalid_transaction_state':
      return `The token refused this transfer after the work was done; nothing was charged. ${whyRefused}`;
    case 'payment_expired':
      return 'The payment expired before the chain accepted it; nothing was charged. Sign a new one.';
    default:
      return 'The chain shows this authorization as used or canceled; it did not pay this gateway. Sign a new one.';
  }
}

const whyRefused =
  'The token may have blocked the account, or code at the account rejects the signature. Pay from another account.';

/** For a transfer that fails in a simulation before the inference (D-136). */
export function revertsBefore(quote: Quote): Outcome {
  const message = `The token would refuse this transfer; no inference ran and nothing was charged. ${whyRefused}`;
  return { kind: 'offer', quote, reason: 'invalid_transaction_state', message };
}

/** The tokens moved, but several gateways could claim that the transfer was for them (D-138). */
function paidByThirdParty(quote: Quote): Outcome {
  const message =
    'The tokens moved in a transaction that this gateway did not send, so they buy nothing here. ' +
    'Ask the operator for a refund, and give the nonce. For a completion, sign a new authorization.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The gateway's own transaction used the authorization, and the token made another transfer (D-193). */
function movedOtherwise(quote: Quote): Outcome {
  const message =
    'The token moved other tokens than this authorization says, so the completion is withheld. ' +
    'Ask the operator for a refund, and give the nonce.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

export function usedElsewhere(quote: Quote): Outcome {
  const message = 'This authorization was used for another request; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The chain knows the authorization and this store does not: it paid another recipient or another gateway. */
export function spentElsewhere(quote: Quote): Outcome {
  const message = 'This authorization is already used on the chain; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}
