import type { RpcFault } from '../chain/rpc.ts';
import type { AcceptablePayment } from '../payment/verify.ts';
import type { BalanceReading, Claim, PaymentRecord, Reserved } from '../store/store.ts';
import { type Address, unixSeconds } from '../vocabulary/units.ts';
import type { Outcome } from './outcome.ts';
import { resume, settle, spentElsewhere, usedElsewhere } from './owed.ts';
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
    case 'spent':
      return spentElsewhere(request.quote);
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
): Promise<Reserved | Unclaimed> {
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
  const { from, nonce } = authorization;
  // Both at once: the ledger knows repetitions, the chain knows what is spent, whoever spent it.
  const [claimed, first] = await Promise.all([
    ports.store.reserve(claim, null, ports.clock.nowSeconds()),
    ports.readPayer(from, nonce),
  ]);
  if (claimed.kind === 'known') return claimed;
  const isUsable = first.ok && !first.value.isSpent;
  if (claimed.kind === 'reserved') {
    if (isUsable) return claimed;
    await ports.store.release(claimed.payment.id);
  }
  if (!first.ok) return unreadable(first.fault, ports);
  return isUsable ? reserveWith(claim, first.value.reading, ports) : { kind: 'spent' };
}

/** Claims with a reading of the balance, and with a newer one where the ledger knows of a later settlement. */
async function reserveWith(
  claim: Claim,
  reading: BalanceReading,
  ports: PaidPorts,
): Promise<Reserved | Unclaimed> {
  let reserved = await ports.store.reserve(claim, reading, ports.clock.nowSeconds());
  for (let attempt = 1; reserved.kind === 'balance-unknown' && attempt < balanceReadingsMax; attempt++) {
    const again = await ports.readPayer(claim.authorization.from, claim.authorization.nonce);
    if (!again.ok) return unreadable(again.fault, ports);
    reserved = await ports.store.reserve(claim, again.value.reading, ports.clock.nowSeconds());
  }
  return reserved;
}

type Unclaimed = { readonly kind: 'unavailable' } | { readonly kind: 'spent' };

function unreadable(fault: RpcFault, { log }: PaidPorts): Unclaimed {
  log.warn({ fault }, 'a payer cannot be read from the chain');
  return { kind: 'unavailable' };
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
