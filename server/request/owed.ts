import { chainId, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { TermsFault } from '../payment/terms.ts';
import type { VerifiedPayment } from '../payment/verify.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Address, Bytes32 } from '../vocabulary/units.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { Quote } from './quote.ts';

const retryAfterSeconds = 1;

/**
 * A payment that would not be taken now may have been taken before: its window closes and prices change, but what was
 * bought is still owed, and whoever waits for the chain must never be offered to pay again (D-19, D-24).
 */
export async function repeat(
  request: PricedRequest,
  { authorization: { from, nonce } }: VerifiedPayment,
  fault: TermsFault,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await ports.store.lookUp(request.quote.requirements.asset as Address, from, nonce);
  const isRepetition =
    known !== null && known.state !== 'released' && known.fingerprint === request.fingerprint;
  return isRepetition ? resume(request, known, ports) : { kind: 'offer', quote: request.quote, ...fault };
}

/** The same payment for the same request as before: what became of it then is what becomes of it now (D-19). */
export async function resume(
  request: PricedRequest,
  payment: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  switch (payment.state) {
    case 'settled':
    case 'final':
      return payment.answer === null ? forgotten(request.quote) : paid(payment, payment.txHash, true);
    case 'executed':
    case 'submitted':
      return settle(request, payment, true, ports);
    case 'expired':
      return refused(request, 'payment_expired');
    case 'failed':
      return refused(request, payment.failure ?? 'invalid_transaction_state');
    case 'reserved':
    case 'released':
      return {
        kind: 'unavailable',
        message: 'This payment is being worked on elsewhere.',
        retryAfterSeconds,
      };
  }
}

export async function settle(
  request: PricedRequest,
  payment: PaymentRecord,
  replayed: boolean,
  ports: PaidPorts,
): Promise<Outcome> {
  const settlement = await ports.settler.settle(payment);
  switch (settlement.state) {
    case 'settled':
      return paid(payment, settlement.txHash, replayed);
    case 'refused':
      return refused(request, settlement.reason);
    case 'unknown':
      return { kind: 'settlement-pending', retryAfterSeconds };
  }
}

function paid(payment: PaymentRecord, txHash: Bytes32 | null, replayed: boolean): Outcome {
  if (payment.answer === null || txHash === null)
    throw new Error(`payment ${payment.id} has no answer or transaction`);
  const { from, value } = payment.authorization;
  const receipt: PaymentReceipt = {
    success: true,
    network,
    chainId,
    txHash,
    payer: from,
    transaction: txHash,
    amount: value.toString(),
  };
  return { kind: 'paid', paymentId: payment.id, answer: payment.answer, receipt, replayed };
}

/** An answer is kept for a while, and in `private` mode until it was delivered; then the payment has had its worth. */
function forgotten(quote: Quote): Outcome {
  const message =
    'The answer that this authorization bought was delivered and is no longer kept; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The chain refused after the work was done: the answer is withheld, and a new payment would be served (D-23). */
function refused(request: PricedRequest, reason: string): Outcome {
  if (reason === 'insufficient_funds') {
    const message = 'The balance was gone when the payment was to settle; nothing was charged.';
    return { kind: 'insufficient-funds', quote: request.quote, message };
  }
  const message = 'The chain refused this payment; nothing was charged. Sign a new one.';
  return { kind: 'offer', quote: request.quote, reason, message };
}

export function usedElsewhere(quote: Quote): Outcome {
  const message = 'This authorization was used for another request; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The chain knows the authorization and this ledger does not: it paid somebody else, or another gateway of ours. */
export function spentElsewhere(quote: Quote): Outcome {
  const message = 'This authorization is spent on the chain already; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}
