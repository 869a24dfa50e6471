import type { SettlementType } from '@paid-inference/contract/types';
import type { Exchange, OperationId } from '../http/contract.ts';
import { decodePayment, type PaymentHeaders } from '../payment/decode.ts';
import { verifyPayment } from '../payment/signature.ts';
import type { Address } from '../types/units.ts';
import { fingerprintRequest } from './fingerprint.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts } from './paid-request.ts';
import { begunElsewhere, paid } from './replay.ts';
import { dropWhenDelivered } from './serve-paid.ts';

export type UnsoldRequest = {
  readonly operationId: OperationId;
  readonly settlementType: SettlementType;
  readonly body: object;
  readonly payment: PaymentHeaders;
  readonly asset: Address;
};

/**
 * Replays a payment for a request that the gateway does not sell any more, because the operator changed the catalog
 * or a limit after the sale (D-225). Null if the store has no charge for this payment and this request: then the
 * request is invalid like any other.
 */
export async function replayUnsold(
  { operationId, settlementType, body, payment, asset }: UnsoldRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Extract<Outcome, { kind: 'paid' | 'settlement-pending' }> | null> {
  if (payment.payment === undefined && payment.paymentSignature === undefined) return null;
  const submitted = decodePayment(payment, ports.limits.paymentHeaderBytesMax);
  if (!submitted.ok) return null;
  const verified = verifyPayment(submitted.value, ports.digestOf, ports.recovery);
  const inputHash = verified.ok ? ports.canonicalHash(body) : null;
  if (!verified.ok || inputHash === null) return null;
  const { from, nonce } = verified.value.authorization;
  const known = await ports.store.lookUp(asset, from, nonce);
  if (known?.fingerprint !== fingerprintRequest(operationId, settlementType, inputHash)) return null;
  if (known.state === 'released') return null;
  if (known.state === 'reserved') return begunElsewhere;
  const settlement = await ports.settler.settle(known);
  if (settlement.state === 'unknown') return begunElsewhere;
  if (settlement.state === 'refused' || known.completion === null) return null;
  if (settlementType === 'private') void dropWhenDelivered(known.id, exchange, ports);
  return paid(known, settlement.txHash, true);
}
