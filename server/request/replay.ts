import { chainId, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { VerifiedPayment } from '../payment/signature.ts';
import type { TermsFault } from '../payment/terms.ts';
import type { Settlement } from '../settlement/settler.ts';
import type { Purchase } from '../store/purchase.ts';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import type { Authorization } from '../types/authorization.ts';
import { transientFailure } from '../types/payment-states.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { isForRequest } from './fingerprint.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { PaidOutcome } from './present.ts';
import type { Quote } from './quote.ts';

const retryAfterSeconds = 1;

/**
 * Handles a payment that breaks a term now but may be known: windows close and prices change. A known payment
 * is replayed, and a client that waits for the chain never gets a new offer (D-19, D-24).
 */
export async function replay(
  request: PricedRequest,
  { authorization }: VerifiedPayment,
  fault: TermsFault,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await lookUp(request, authorization, ports);
  return known !== null && isForRequest(known, request)
    ? resume(request, known, ports)
    : { kind: 'offer', quote: request.quote, ...fault };
}

/**
 * The store's record of an authorization, or of the payment that it joined or would join; null if it is free to be
 * reserved. Reserves nothing.
 */
export async function lookUp(
  request: PricedRequest,
  { from, nonce }: Authorization,
  ports: PaidPorts,
  purchase?: Purchase,
): Promise<PaymentRecord | null> {
  const asset = request.quote.requirements.asset as Address;
  const known = await ports.store.lookUp(asset, from, nonce, purchase);
  return known?.state === 'released' ? null : known;
}

/** Handles a payment that the store knows, for this request or for another. */
export async function replayKnown(
  request: PricedRequest,
  known: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  if (isForRequest(known, request)) return resume(request, known, ports);
  // The store forgets the fingerprint of a private request.
  return known.fingerprint === noFingerprint ? forgotten(request.quote) : usedElsewhere(request.quote);
}

/** After its lease a reservation is free, and another gateway on this store may have reserved the payment. */
export async function afterLostLease(
  request: PricedRequest,
  { authorization }: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await lookUp(request, authorization, ports);
  if (known !== null) return replayKnown(request, known, ports);
  return uncharged(
    'The reservation expired before the completion was stored. Send the same payment again.',
    retryAfterSeconds,
  );
}

/** Another process runs the inference for this payment and may charge it. */
export const begunElsewhere = { kind: 'settlement-pending', retryAfterSeconds } as const;

/** Continues a payment for the same request from its state (D-19). */
async function resume(request: PricedRequest, payment: PaymentRecord, ports: PaidPorts): Promise<Outcome> {
  switch (payment.state) {
    case 'settled':
    case 'final':
      return payment.completion === null ? forgotten(request.quote) : paid(payment, payment.txHash, true);
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
 * A payment that the chain refused is still signed. Somebody may have sent it since; then the payer gets the
 * completion. A payment that failed for an empty balance is retried once the balance suffices (D-63).
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
  if (!mayPass || !inTime || payment.completion === null)
    return presentSettlement(request, payment, settlement, true);
  const [state, check] = await Promise.all([
    ports.readPayer(from, nonce),
    ports.checkTransfer(payment.authorization, payment.signature),
  ]);
  if (!state.ok) {
    log.warn({ fault: state.fault }, 'the gateway cannot read a payer from the chain');
    const message = 'The chain cannot be asked for the balance. Send the same payment again.';
    return { kind: 'unavailable', message, retryAfterSeconds };
  }
  const isCovered = state.value.reading.balance >= payment.authorization.value;
  // Each retry may cost gas. So the gateway does not retry a transfer that the token rejects for another reason
  // (D-136).
  if (isCovered && check === 'reverts') return refused(request, 'invalid_transaction_state', true);
  const retried = await store.retry(payment.id, state.value.reading, clock.steadySeconds());
  if (retried !== null) log.info({ payment: payment.id }, 'the payer has tokens again; a payment is retried');
  // Another process may have retried it first.
  const again = retried ?? (await store.find(payment.id));
  if (again === null || again.state === 'failed')
    return presentSettlement(request, payment, settlement, true);
  return settle(request, again, true, ports);
}

export async function settle(
  request: PricedRequest,
  payment: PaymentRecord,
  replayed: boolean,
  ports: PaidPorts,
): Promise<Outcome> {
  return presentSettlement(request, payment, await ports.settler.settle(payment), replayed);
}

function presentSettlement(
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
      return { kind: 'settlement-pending', retryAfterSeconds };
  }
}

export function paid(payment: PaymentRecord, txHash: Bytes32 | null, replayed: boolean): PaidOutcome {
  if (payment.completion === null || txHash === null)
    throw new Error(`Payment ${payment.id} has no completion or no transaction.`);
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
    completion: payment.completion,
    proof: payment.proof,
    receipt,
    replayed,
  };
}

/**
 * A completion is kept for a limited time, in `private` mode for less. Afterwards the payment buys nothing
 * more.
 */
function forgotten(quote: Quote): Outcome {
  const message =
    'The completion that this authorization bought is no longer kept. If you did not get it, ask the operator for a ' +
    'refund, and give the nonce. For another completion, sign a new authorization.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

/**
 * The chain refused after the inference. The completion is withheld, and a new payment would be accepted
 * (D-23). `isKept`: the store has the completion, so the same payment may be retried.
 */
function refused(request: PricedRequest, reason: string, isKept: boolean): Outcome {
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
