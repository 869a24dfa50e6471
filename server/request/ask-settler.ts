import type { Acceptance } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { releasePayment } from './retry-write.ts';

const retryAfterSeconds = 1;

/**
 * Asks whoever will move the tokens before any work is done: an inference for a payment that is not taken is lost. Null
 * where it is taken; else the reservation was released, and nothing is charged (D-56).
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
    // A settler that throws is our defect, and still nothing may stay reserved for it.
    await releasePayment(payment, ports);
    throw cause;
  }
  if (acceptance.kind === 'acceptable') return null;
  await releasePayment(payment, ports);
  return acceptance.kind === 'refused'
    ? notTaken(request, acceptance.reason)
    : uncharged('The settlement of this payment cannot be asked about now.', retryAfterSeconds);
}

function notTaken({ quote }: PricedRequest, reason: string): Outcome {
  if (reason === 'insufficient_funds') {
    const message = 'The facilitator finds the balance of the payer too low; nothing was charged.';
    return { kind: 'insufficient-funds', quote, message };
  }
  const message = 'The facilitator does not take this payment; nothing was charged. Sign a new one.';
  return { kind: 'offer', quote, reason, message };
}
