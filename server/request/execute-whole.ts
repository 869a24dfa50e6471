import type { Inference, InferenceFault } from '../inference/engine.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Result } from '../types/result.ts';
import { type MadeCompletion, makeCompletion } from './make-completion.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { settle } from './present-settlement.ts';
import { afterLostLease } from './replay.ts';
import { releasePayment, writeExecuted } from './retry-write.ts';

const retryAfterSeconds = 1;

/** Runs the inference to its end. Only a complete completion is stored, and only a stored one is charged (D-22). */
export async function executeWhole(
  request: PricedRequest,
  payment: PaymentRecord,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  const limits = { timeoutMs: ports.limits.inferenceTimeoutMs, signal: everybodyLeft };
  return sellWhole(request, payment, () => request.engine.infer(request.task, limits), ports);
}

/** Sells what `infer` returns, or releases the payment. */
export async function sellWhole(
  request: PricedRequest,
  payment: PaymentRecord,
  infer: () => Promise<Result<Inference, InferenceFault>>,
  ports: PaidPorts,
): Promise<Outcome> {
  let made: MadeCompletion;
  try {
    const inferred = await infer();
    if (!inferred.ok) return releaseFailed(request, payment, inferred.fault, ports);
    made = makeCompletion(request, inferred.value, request.identify(), ports);
  } catch (cause) {
    // An engine that throws is a defect of the gateway; the reservation is released all the same.
    await releasePayment(payment, ports);
    throw cause;
  }
  const { completion, proof } = made;
  const kept = await writeExecuted(payment, completion, proof, ports);
  if (kept === 'lost') return afterLostLease(request, payment, ports);
  // The completion may still be stored later, so the client sends the same payment again.
  if (kept === 'later') return { kind: 'settlement-pending', retryAfterSeconds };
  return settle(request, { ...payment, state: 'executed', completion, proof: proof.header }, false, ports);
}

async function releaseFailed(
  { engine }: PricedRequest,
  payment: PaymentRecord,
  fault: InferenceFault,
  ports: PaidPorts,
): Promise<Outcome> {
  await releasePayment(payment, ports);
  ports.log.warn(
    { payment: payment.id, engine: engine.name, fault },
    'inference failed; nothing was charged',
  );
  return { kind: 'inference-failed', fault };
}
