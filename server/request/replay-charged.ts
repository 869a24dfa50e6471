import { setTimeout as after } from 'node:timers/promises';
import type { SettlementType } from '@paid-inference/contract/types';
import type { Exchange } from '../http/contract.ts';
import type { SubmittedPayment } from '../payment/decode.ts';
import { isKeptWalletSignature } from '../payment/wallet.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Address } from '../types/units.ts';
import { settleFor } from './client-settler.ts';
import { type Fingerprints, isForRequest } from './fingerprint.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts } from './paid-request.ts';
import { begunElsewhere, paid, pending } from './present-settlement.ts';

/** The request of a payment that the store may know, as far as a replay needs it. */
export type SoldRequest = Fingerprints & { readonly settlementType: SettlementType };

export type ReplayedCharge = Extract<Outcome, { kind: 'paid' | 'settlement-pending' | 'refund-due' }>;

/**
 * Replays a payment that the store has charged, or still settles, for this request. It needs no model, price or
 * token. Null if the store has no charge for it.
 */
export async function replayCharged(
  known: PaymentRecord | null,
  request: SoldRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<ReplayedCharge | null> {
  if (known === null || !isForRequest(known, request) || known.state === 'released') return null;
  if (known.state === 'reserved') return begunElsewhere;
  const settlement = await settleFor(exchange, ports).settler.settle(known, { keepsPlace: true });
  if (settlement.state === 'unknown') return pending(settlement);
  if (settlement.state === 'refused') return null;
  if (known.isOwed) return findRefund(known, ports);
  if (known.completion === null) return null;
  void noteDelivery({ paymentId: known.id, settlementType: request.settlementType }, exchange, ports);
  return paid(known, settlement.txHash, true);
}

/** A completion that is owed needs its model, which the gateway sells no more, unless another process runs it now. */
function findRefund(
  { id, leaseUntil, authorization }: PaymentRecord,
  { clock, log }: PaidPorts,
): ReplayedCharge {
  if (leaseUntil > clock.steadySeconds()) return begunElsewhere;
  const { from: payer, value } = authorization;
  log.error(
    { payment: id, payer, amount: String(value) },
    'A charged payment waits for a completion that is sold no more. Sell the request again, or pay the payer back.',
  );
  const message =
    'The gateway no longer sells this request, so it cannot make the completion that this payment bought. ' +
    'Ask the operator for a refund, and give the nonce.';
  return { kind: 'refund-due', message };
}

/**
 * Finds a payment by the signature that the store has for it. A token may have had another name when the gateway
 * accepted the signature (D-229). Null if any part of the payment differs.
 */
export async function findBySignature(
  submitted: SubmittedPayment,
  asset: Address,
  { store }: Pick<PaidPorts, 'store'>,
): Promise<PaymentRecord | null> {
  const { authorization, signature } = submitted;
  const known = await store.lookUp(asset, authorization.from, authorization.nonce);
  if (known === null) return null;
  const isOfKey = known.signature.toLowerCase() === signature.toLowerCase();
  if (!isOfKey && !isKeptWalletSignature(known.signature, submitted)) return null;
  const { nonce, to, value, validAfter, validBefore } = known.authorization;
  const isSame =
    nonce === authorization.nonce &&
    to === authorization.to &&
    value === authorization.value &&
    validAfter === authorization.validAfter &&
    validBefore === authorization.validBefore;
  return isSame ? known : null;
}

/** A response with the completion of a payment. */
type Delivery = {
  readonly paymentId: number;
  readonly settlementType: SettlementType;
  /** The hash of its purchase, where the request still names one. */
  readonly purchase?: string;
};

/**
 * Notes the delivery of a completion, after which a new authorization is a new purchase (D-259). Drops a private
 * completion then (contract §4.3). A sent response may still be lost with its connection, so the payer has some
 * time to send the same payment again (D-51).
 */
export async function noteDelivery(
  { paymentId, settlementType, purchase = '' }: Delivery,
  exchange: Exchange,
  { store, log, limits, deliveries }: PaidPorts,
): Promise<void> {
  try {
    if (!(await exchange.watchClient().delivered)) return;
    deliveries.note(paymentId, purchase);
    if (settlementType !== 'private') return;
    await after(limits.privateCompletionKeepSeconds * 1_000, undefined, { ref: false });
    await store.dropCompletion(paymentId);
  } catch (cause) {
    log.error(
      { err: cause, payment: paymentId },
      'a delivered completion could not be dropped; it is pruned with the others',
    );
  }
}
