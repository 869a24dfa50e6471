import type { SettlementType } from '@paid-inference/contract/types';
import type { Exchange, OperationId } from '../http/contract.ts';
import { decodePayment, type PaymentHeaders } from '../payment/decode.ts';
import { verifyPayment } from '../payment/signature.ts';
import type { Address } from '../types/units.ts';
import { boughtPart } from './delivery.ts';
import { fingerprintRequest } from './fingerprint.ts';
import type { PaidPorts } from './paid-request.ts';
import { findBySignature, type ReplayedCharge, replayCharged } from './replay-charged.ts';

export type UnsoldRequest = {
  readonly operationId: OperationId;
  readonly settlementType: SettlementType;
  readonly body: object;
  readonly received: object;
  readonly payment: PaymentHeaders;
  readonly asset: Address;
};

/**
 * Replays a payment for a request that the gateway does not sell any more, because the operator changed the catalog
 * or a limit after the sale (D-225). Null if the store has no charge for this payment and this request: then the
 * request is invalid like any other.
 */
export async function replayUnsold(
  { operationId, settlementType, body, received, payment, asset }: UnsoldRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<ReplayedCharge | null> {
  if (payment.payment === undefined && payment.paymentSignature === undefined) return null;
  const submitted = decodePayment(payment, ports.limits.paymentHeaderBytesMax);
  if (!submitted.ok) return null;
  const verified = verifyPayment(submitted.value, ports.digestOf, ports.recovery);
  const { from, nonce } = submitted.value.authorization;
  const known = verified.ok
    ? await ports.store.lookUp(asset, from, nonce)
    : await findBySignature(submitted.value, asset, ports);
  // The canonical form of a large body costs more than the reading of the store.
  const requestHash = known && ports.canonicalHash(boughtPart(body));
  const receivedHash = known && ports.canonicalHash(received);
  if (requestHash === null || receivedHash === null) return null;
  const fingerprint = fingerprintRequest(operationId, settlementType, requestHash);
  const formerFingerprint = fingerprintRequest(operationId, settlementType, receivedHash);
  return replayCharged(known, { fingerprint, formerFingerprint, settlementType }, exchange, ports);
}
