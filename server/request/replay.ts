import type { VerifiedPayment } from '../payment/signature.ts';
import type { TermsFault } from '../payment/terms.ts';
import type { Purchase } from '../store/purchase.ts';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import type { Authorization } from '../types/authorization.ts';
import { transientFailure } from '../types/payment-states.ts';
import type { Address } from '../types/units.ts';
import { isForRequest } from './fingerprint.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import {
  begunElsewhere,
  forgotten,
  paid,
  presentSettlement,
  refused,
  settle,
  usedElsewhere,
} from './present-settlement.ts';
import { serveOwed } from './serve-owed.ts';

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

/** Whether the store knows an authorization, for this request. */
export async function isBought(
  request: PricedRequest,
  authorization: Authorization,
  ports: PaidPorts,
): Promise<boolean> {
  const known = await lookUp(request, authorization, ports);
  return known !== null && isForRequest(known, request);
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

/** Continues a payment for the same request from its state (D-19). */
async function resume(request: PricedRequest, payment: PaymentRecord, ports: PaidPorts): Promise<Outcome> {
  if (payment.isOwed) return serveOwed(request, payment, ports);
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
