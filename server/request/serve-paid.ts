import type { Exchange } from '../http/contract.ts';
import { shortAddress } from '../observe/sale-note.ts';
import { decodePayment } from '../payment/decode.ts';
import { verifyPayment } from '../payment/signature.ts';
import { checkTerms } from '../payment/terms.ts';
import type { Address } from '../types/units.ts';
import { executeAndSettle } from './execute.ts';
import type { Outcome } from './outcome.ts';
import { formatKey, type PaidPorts, type PricedRequest } from './paid-request.ts';
import { paymentMissing } from './quote.ts';
import { replay, usedElsewhere } from './replay.ts';
import { dropWhenDelivered, findBySignature, replayCharged } from './replay-charged.ts';

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
  if (!submitted.ok) return { kind: 'offer', quote, ...submitted.fault };

  const verified = verifyPayment(submitted.value, ports.digestOf, ports.recovery);
  if (!verified.ok) {
    const known = await findBySignature(submitted.value, quote.requirements.asset as Address, ports);
    const replayed = await replayCharged(known, request, exchange, ports);
    return replayed ?? { kind: 'invalid-signature', ...verified.fault };
  }

  const runwaySeconds = ports.limits.inferenceTimeoutMs / 1000 + ports.limits.settlementMarginSeconds;
  const now = ports.clock.nowSeconds();
  const acceptable = checkTerms(verified.value, quote.requirements, now, Math.ceil(runwaySeconds));

  const { authorization } = verified.value;
  exchange.note({ payer: shortAddress(authorization.from) });
  const work = await ports.inFlight.join(
    formatKey(authorization),
    request.fingerprint,
    exchange.watchClient().left,
    (everybodyLeft) =>
      acceptable.ok
        ? executeAndSettle(request, acceptable.value, { network: exchange.network, everybodyLeft }, ports)
        : replay(request, verified.value, acceptable.fault, ports),
  );
  if (work === null) return usedElsewhere(quote);
  const { result, joined } = work;
  if (result.kind === 'paid' && request.settlementType === 'private') {
    void dropWhenDelivered(result.paymentId, exchange, ports);
  }
  return joined && result.kind === 'paid' ? { ...result, replayed: true } : result;
}
