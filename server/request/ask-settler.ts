import type { Acceptance } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { releasePayment } from './retry-write.ts';

const retryAfterSeconds = 1;

/**
 * Asks the settler before the inference whether it accepts the payment (D-56). Returns null if it does.
 * Otherwise the reservation was released and nothing is charged.
 */
export async function askSettler(
  request: PricedRequest,
  payment: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome | null> {
  let acceptance: Acceptance;
  try {
    acceptance = await ports.settler.verify(payment);
  } catch (cause) {
    // A settler that throws is a defect of the gateway; the reservation is released all the same.
    await releasePayment(payment, ports);
    throw cause;
  }
  if (acceptance.kind === 'acceptable') return null;
  await releasePayment(payment, ports);
  return acceptance.kind === 'refused'
    ? refusePayment(request, acceptance.reason)
    : uncharged('The gateway cannot check the settlement of this payment now.', retryAfterSeconds);
}

function refusePayment({ quote }: PricedRequest, reason: string): Outcome {
  if (reason === 'insufficient_funds') {
    const message = 'The facilitator reports that the balance of the payer is too low; nothing was charged.';
    return { kind: 'insufficient-funds', quote, message };
  }
  const message = 'The facilitator does not accept this payment; nothing was charged. Sign a new one.';
  return { kind: 'offer', quote, reason, message };
}
