import type { Exchange } from '../http/contract.ts';
import { countOnce } from '../http/rate-limit.ts';
import { shortAddress } from '../observe/sale-note.ts';
import { type DecodeFault, decodePayment, namePaymentHeader } from '../payment/decode.ts';
import { type VerifiedPayment, verifyPayment } from '../payment/signature.ts';
import { checkTerms } from '../payment/terms.ts';
import type { Address } from '../types/units.ts';
import { settleFor } from './client-settler.ts';
import { shareWork } from './deliver-run.ts';
import { executeAndSettle } from './execute.ts';
import { shareResult } from './join.ts';
import type { Outcome } from './outcome.ts';
import { formatKey, type PaidPorts, type PricedRequest } from './paid-request.ts';
import { usedElsewhere } from './present-settlement.ts';
import { identifyPurchase } from './purchase.ts';
import { paymentMissing } from './quote.ts';
import { isBought, replay } from './replay.ts';
import { noteDelivery } from './replay-charged.ts';
import { verifyWithoutKey } from './verify-wallet.ts';

/** Refusals of one authorization or one client, which say nothing about another of the same purchase. */
const concernsOne: ReadonlySet<Outcome['kind']> = new Set([
  'offer',
  'insufficient-funds',
  'too-many-refusals',
]);

/** Refusals of a payment by a wallet that accepted its signature. A fault of the gateway is none of them. */
const refusesWallet: ReadonlySet<Outcome['kind']> = new Set([
  'offer',
  'invalid',
  'insufficient-funds',
  'rate-limited',
]);

/** Serves a paid request, step by step from the offer to the receipt. Every step can end it. */
export async function servePaid(
  request: PricedRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Outcome> {
  const { quote } = request;
  const { payment: header, paymentSignature } = request.payment;
  if (header === undefined && paymentSignature === undefined) {
    const message = 'Sign the offer in X-PAYMENT-REQUIRED and send the same request again with X-PAYMENT.';
    return { kind: 'offer', quote, reason: paymentMissing, message };
  }
  const submitted = decodePayment(request.payment, ports.limits.paymentHeaderBytesMax);
  if (!submitted.ok) return refuseHeader(request, submitted.fault);

  const signed = verifyPayment(submitted.value, ports.digestOf, ports.recovery);
  if (signed.ok) return serveVerified(request, signed.value, exchange, ports);
  const verified = await verifyWithoutKey(submitted.value, signed.fault, request, exchange, ports);
  if (!verified.ok) return verified.fault;
  const { payment, isAsked } = verified.value;
  return isAsked
    ? serveWallet(request, payment, exchange, ports)
    : serveVerified(request, payment, exchange, ports);
}

/**
 * Serves a payment whose wallet the gateway asked. Its sender paid nothing for this call to the chain, so every
 * refusal counts, once (D-340).
 */
async function serveWallet(
  request: PricedRequest,
  payment: VerifiedPayment,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Outcome> {
  const refusals = countOnce(ports.refusals);
  const outcome = await serveVerified(request, payment, exchange, { ...ports, refusals });
  if (refusesWallet.has(outcome.kind)) await refusals.count(exchange.network);
  return outcome;
}

async function serveVerified(
  request: PricedRequest,
  payment: VerifiedPayment,
  exchange: Exchange,
  allPorts: PaidPorts,
): Promise<Outcome> {
  const ports = settleFor(exchange, allPorts);
  const { quote } = request;
  const runwaySeconds = ports.limits.inferenceTimeoutMs / 1000 + ports.limits.settlementMarginSeconds;
  const now = ports.clock.nowSeconds();
  const acceptable = checkTerms(payment, quote.requirements, now, Math.ceil(runwaySeconds));

  const { authorization } = payment;
  const { from: payer } = authorization;
  exchange.note({ payer: shortAddress(payer) });
  const { network } = exchange;
  const { left } = exchange.watchClient();
  const purchase = identifyPurchase(request, payment);
  if (!purchase.isRetry) await ports.deliveries.written(purchase.hash);
  const key = formatKey(authorization);
  const run = (joins: string | undefined) =>
    shareWork(
      request,
      { key, left, purchase: joins, isBought: () => isBought(request, authorization, ports) },
      (everybodyLeft) =>
        acceptable.ok
          ? executeAndSettle(request, acceptable.value, { purchase, network, everybodyLeft }, ports)
          : replay(request, payment, acceptable.fault, ports),
      ports,
    );
  const first = await run(acceptable.ok ? purchase.hash : undefined);
  const isOther = first !== null && first.key !== key && concernsOne.has(first.result.kind);
  const work = isOther ? await run(undefined) : first;
  if (work === null) return namePayer(usedElsewhere(quote), payer);
  let { result } = work;
  if (acceptable.ok && work.key !== key) {
    // The work of the other authorization counted for that one only (D-258).
    const tooMany = await ports.admitPayer(payer);
    if (tooMany !== null) return { kind: 'rate-limited', ...tooMany };
    result = await shareResult(request, { payment: acceptable.value, purchase }, result, ports);
  }
  if (result.kind === 'settlement-pending')
    return { ...result, newPaymentCosts: purchase.keyHeader !== null && !request.retry.idempotencyKey };
  if (result.kind !== 'paid' && result.kind !== 'streaming') return namePayer(result, payer);
  const { settlementType } = request;
  const delivery = { paymentId: result.paymentId, settlementType, purchase: purchase.hash };
  void noteDelivery(delivery, exchange, ports);
  return work.joined ? { ...result, replayed: true } : result;
}

/** Names the payer of a refused payment (D-285). */
function namePayer(outcome: Outcome, payer: Address): Outcome {
  const isRefused = outcome.kind === 'offer' || outcome.kind === 'insufficient-funds';
  return isRefused ? { ...outcome, payer } : outcome;
}

function refuseHeader({ quote, payment }: PricedRequest, { reason, message }: DecodeFault): Outcome {
  return reason === 'invalid_payment_identifier'
    ? { kind: 'invalid', fault: { param: namePaymentHeader(payment), message } }
    : { kind: 'offer', quote, reason, message };
}
