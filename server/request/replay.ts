import { chainId, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { TermsFault } from '../payment/terms.ts';
import type { VerifiedPayment } from '../payment/verify.ts';
import type { Settlement } from '../settlement/settler.ts';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import type { Authorization } from '../types/authorization.ts';
import { transientFailure } from '../types/payment-states.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { Quote } from './quote.ts';

const retryAfterSeconds = 1;

/**
 * A payment that would not be taken now may have been taken before: its window closes and prices change, but what was
 * bought is still owed, and whoever waits for the chain must never be offered to pay again (D-19, D-24).
 */
export async function replay(
  request: PricedRequest,
  { authorization }: VerifiedPayment,
  fault: TermsFault,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await lookUp(request, authorization, ports);
  return known !== null && known.fingerprint === request.fingerprint
    ? resume(request, known, ports)
    : { kind: 'offer', quote: request.quote, ...fault };
}

/** What the store has of an authorization; null where it is free to be reserved. Claims nothing. */
export async function lookUp(
  request: PricedRequest,
  { from, nonce }: Authorization,
  ports: PaidPorts,
): Promise<PaymentRecord | null> {
  const known = await ports.store.lookUp(request.quote.requirements.asset as Address, from, nonce);
  return known?.state === 'released' ? null : known;
}

/** A payment that was taken before, for this request or for another one. */
export async function replayKnown(
  request: PricedRequest,
  known: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  if (known.fingerprint === request.fingerprint) return resume(request, known, ports);
  // Of a private request it is not known any more which it was.
  return known.fingerprint === noFingerprint ? forgotten(request.quote) : usedElsewhere(request.quote);
}

/** A reservation whose lease ran out is free, and the same payment may be with another gateway of this store by now. */
export async function afterLostLease(
  request: PricedRequest,
  { authorization }: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await lookUp(request, authorization, ports);
  if (known !== null) return replayKnown(request, known, ports);
  return uncharged(
    'The reservation ran out before the completion was kept. Send the same payment again.',
    retryAfterSeconds,
  );
}

/** An inference for this payment is under way in another process, which may charge it. */
export const begunElsewhere: Outcome = { kind: 'settlement-pending', retryAfterSeconds };

/** The same payment for the same request as before: what became of it then is what becomes of it now (D-19). */
async function resume(request: PricedRequest, payment: PaymentRecord, ports: PaidPorts): Promise<Outcome> {
  switch (payment.state) {
    case 'settled':
    case 'final':
      return payment.answer === null ? forgotten(request.quote) : paid(payment, payment.txHash, true);
    case 'executed':
    case 'submitted':
      return settle(request, payment, true, ports);
    case 'failed':
    case 'expired':
      return reconsider(request, payment, ports);
    case 'reserved':
    case 'released':
      return begunElsewhere;
  }
}

/**
 * A payment that the chain refused is still signed: it may have been charged since, by whoever sent it, and then the answer
 * is owed. Where the wallet was empty and is filled again, it is tried once more: the work is done, and the payer pays for
 * it (D-63).
 */
async function reconsider(
  request: PricedRequest,
  payment: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  const { store, clock, log, limits } = ports;
  const settlement = await ports.settler.settle(payment);
  const { from, nonce, validBefore } = payment.authorization;
  const inTime = validBefore >= BigInt(clock.nowSeconds() + limits.settlementMarginSeconds);
  const mayPass = settlement.state === 'refused' && settlement.reason === transientFailure;
  if (!mayPass || !inTime || payment.answer === null) return concluded(request, payment, settlement, true);
  const [state, check] = await Promise.all([
    ports.readPayer(from, nonce),
    ports.checkTransfer(payment.authorization, payment.signature),
  ]);
  if (!state.ok) {
    log.warn({ fault: state.fault }, 'a payer cannot be read from the chain');
    const message = 'The chain cannot be asked for the balance. Send the same X-PAYMENT again.';
    return { kind: 'unavailable', message, retryAfterSeconds };
  }
  const isCovered = state.value.reading.balance >= payment.authorization.value;
  // Each retry may cost gas; none is made for a transfer that the token would refuse for another reason (D-136).
  if (isCovered && check === 'reverts') return refused(request, 'invalid_transaction_state');
  const retried = await store.retry(payment.id, state.value.reading, clock.steadySeconds());
  if (retried !== null)
    log.info({ payment: payment.id }, 'a payer filled the wallet; a payment is tried again');
  // Another process may have been faster.
  const again = retried ?? (await store.find(payment.id));
  if (again === null || again.state === 'failed') return concluded(request, payment, settlement, true);
  return settle(request, again, true, ports);
}

export async function settle(
  request: PricedRequest,
  payment: PaymentRecord,
  replayed: boolean,
  ports: PaidPorts,
): Promise<Outcome> {
  return concluded(request, payment, await ports.settler.settle(payment), replayed);
}

function concluded(
  request: PricedRequest,
  payment: PaymentRecord,
  settlement: Settlement,
  replayed: boolean,
): Outcome {
  switch (settlement.state) {
    case 'settled':
      return payment.answer === null ? forgotten(request.quote) : paid(payment, settlement.txHash, replayed);
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
  return {
    kind: 'paid',
    paymentId: payment.id,
    answer: payment.answer,
    proof: payment.proof,
    receipt,
    replayed,
  };
}

/** An answer is kept for a while, and in `private` mode for less; then the payment has had its worth. */
function forgotten(quote: Quote): Outcome {
  const message =
    'The answer that this authorization bought was delivered and is no longer kept; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The chain refused after the work was done: the answer is withheld, and a new payment would be served (D-23). */
function refused(request: PricedRequest, reason: string): Outcome {
  if (reason === 'insufficient_funds') {
    const message =
      'The balance was gone when the payment was to settle; nothing was charged. ' +
      'With enough in the wallet, send the same request with the same X-PAYMENT again.';
    return { kind: 'insufficient-funds', quote: request.quote, message };
  }
  if (reason === 'third_party_sender') return paidByThirdParty(request.quote);
  if (reason === 'moved_otherwise') return movedOtherwise(request.quote);
  return { kind: 'offer', quote: request.quote, reason, message: sentenceOf(reason) };
}

function sentenceOf(reason: string): string {
  switch (reason) {
    case 'invalid_transaction_state':
      return `The token refused this transfer after the work was done; nothing was charged. ${whyRefused}`;
    case 'payment_expired':
      return 'The payment ran out of time before the chain took it; nothing was charged. Sign a new one.';
    default:
      return 'The chain shows this authorization as used or canceled; this gateway was not paid with it. Sign a new one.';
  }
}

const whyRefused =
  'The token may have blocked the account, or code at the account rejects the signature. Pay from another account.';

/** A simulation shows it before any work is done (D-136). */
export function revertsBefore(quote: Quote): Outcome {
  const message = `The token would refuse this transfer; nothing was run or charged. ${whyRefused}`;
  return { kind: 'offer', quote, reason: 'invalid_transaction_state', message };
}

/** The tokens moved, and any number of gateways could claim that they moved for them (D-138). */
function paidByThirdParty(quote: Quote): Outcome {
  const message =
    'The tokens moved in a transaction that this gateway did not send, so they pay for nothing here. ' +
    'Ask the operator to pay them back, and name the nonce. For a completion, sign a new authorization.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** Our own transaction used the authorization, and the token did something else with it (D-193). */
function movedOtherwise(quote: Quote): Outcome {
  const message =
    'The token moved other tokens than this authorization says, so the completion is withheld. ' +
    'Ask the operator to pay them back, and name the nonce.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

export function usedElsewhere(quote: Quote): Outcome {
  const message = 'This authorization was used for another request; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/** The chain knows the authorization and this store does not: it paid somebody else, or another gateway of ours. */
export function spentElsewhere(quote: Quote): Outcome {
  const message = 'This authorization is spent on the chain already; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}
