import type { AcceptablePayment } from '../payment/verify.ts';
import type { Claim, PaymentRecord, Reserved } from '../store/store.ts';
import { type Address, unixSeconds } from '../vocabulary/units.ts';
import type { Outcome } from './outcome.ts';
import { resume, settle, usedElsewhere } from './owed.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

const retryAfterSeconds = 1;
const balanceReadingsMax = 3;
const leaseSlackSeconds = 15;

/** Everything behind the claim of the authorization: once for all requests that carry the same one. */
export async function fulfil(
  request: PricedRequest,
  payment: AcceptablePayment,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  if (ports.inFlight.size >= ports.limits.concurrentInferencesMax)
    return { kind: 'overloaded', retryAfterSeconds };
  const reserved = await reserve(request, payment, ports);
  switch (reserved.kind) {
    case 'unavailable':
      return {
        kind: 'unavailable',
        message: 'The chain cannot be asked for the balance.',
        retryAfterSeconds,
      };
    case 'balance-unknown':
      return {
        kind: 'unavailable',
        message: 'The balance changes faster than it can be read.',
        retryAfterSeconds,
      };
    case 'insufficient': {
      const message = `The payer has ${reserved.available} units free; this request costs ${quote(request)}.`;
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
    case 'blocked': {
      const message = 'This payer left work unpaid; it is served again a while later.';
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
    case 'known':
      return reserved.sameRequest ? resume(request, reserved.payment, ports) : usedElsewhere(request.quote);
    case 'reserved':
      return execute(request, reserved.payment, everybodyLeft, ports);
  }
}

/** Claims the authorization, reading the balance where the ledger has no fresh reading (D-18, D-21). */
async function reserve(
  request: PricedRequest,
  { authorization, signature }: AcceptablePayment,
  ports: PaidPorts,
): Promise<Reserved | { readonly kind: 'unavailable' }> {
  const claim: Claim = {
    asset: request.quote.requirements.asset as Address,
    authorization,
    signature,
    fingerprint: request.fingerprint,
    settlementType: request.settlementType,
    // Whoever still holds it by then has died: inference had its time, and some to write the answer down.
    leaseUntil: unixSeconds(
      ports.clock.nowSeconds() + Math.ceil(ports.limits.inferenceTimeoutMs / 1000) + leaseSlackSeconds,
    ),
  };
  let reserved = await ports.store.reserve(claim, null, ports.clock.nowSeconds());
  for (let reading = 0; reserved.kind === 'balance-unknown' && reading < balanceReadingsMax; reading++) {
    const balance = await ports.readBalance(authorization.from);
    if (!balance.ok) {
      ports.log.warn({ fault: balance.fault }, 'the balance of a payer cannot be read');
      return { kind: 'unavailable' };
    }
    reserved = await ports.store.reserve(claim, balance.value, ports.clock.nowSeconds());
  }
  return reserved;
}

/** Runs the inference; only a complete answer is kept, and only a kept answer is charged (D-22). */
async function execute(
  request: PricedRequest,
  payment: PaymentRecord,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  const { inferenceTimeoutMs } = ports.limits;
  const limits = { timeoutMs: inferenceTimeoutMs, signal: everybodyLeft };
  let answer: string;
  try {
    const inferred = await request.engine.infer(request.task, limits);
    if (!inferred.ok) {
      await ports.store.release(payment.id);
      const { id: paymentId } = payment;
      ports.log.warn(
        { payment: paymentId, engine: request.engine.name, fault: inferred.fault },
        'no answer, no charge',
      );
      return { kind: 'inference-failed', fault: inferred.fault };
    }
    answer = JSON.stringify(request.compose(inferred.value));
  } catch (cause) {
    // An engine that throws is our defect, and still nothing may stay reserved for it.
    await ports.store.release(payment.id);
    throw cause;
  }
  await ports.store.execute(payment.id, answer);
  return settle(request, { ...payment, state: 'executed', answer }, false, ports);
}

function quote(request: PricedRequest): string {
  return request.quote.requirements.maxAmountRequired;
}
