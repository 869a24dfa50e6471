import type { InferenceFault, InferenceStream } from '../inference/engine.ts';
import { isCheckedWhole } from '../inference/stream.ts';
import type { PaymentRecord } from '../store/store.ts';
import { fail, type Result } from '../types/result.ts';
import { sellWhole } from './execute-whole.ts';
import { createLiveParts } from './live-parts.ts';
import { startRun } from './live-run.ts';
import { uncharged, type WorkResult } from './outcome.ts';
import { owePayment } from './owe-payment.ts';
import { formatKey, type PaidPorts, type PricedRequest } from './paid-request.ts';
import { begunElsewhere } from './present-settlement.ts';
import { afterLostLease } from './replay.ts';
import { releasePayment, withinWait } from './retry-write.ts';

const retryAfterSeconds = 1;

/** Whether text may be shown before the completion is whole (D-272). A later check must not reject shown text. */
export function isShownEarly({ isStreamed, task }: PricedRequest): boolean {
  return isStreamed && !isCheckedWhole(task);
}

/**
 * Runs a streamed inference. The payment is owed from the first text on, so that it settles while the model writes.
 * Before that text, a failure charges nothing, and clients that leave cancel the run (D-22).
 */
export async function executeStreamed(
  request: PricedRequest,
  payment: PaymentRecord,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<WorkResult> {
  const stop = new AbortController();
  const signal = AbortSignal.any([everybodyLeft, stop.signal, ports.stopped]);
  const limits = { timeoutMs: ports.limits.inferenceTimeoutMs, signal };
  const stream = request.engine.stream(request.task, limits);
  const parts = createLiveParts();
  let begun: Awaited<ReturnType<InferenceStream['next']>>;
  try {
    begun = await stream.next();
    if (!begun.done && signal.aborted) begun = { done: true, value: await cancel(stream) };
  } catch (cause) {
    await releasePayment(payment, ports);
    throw cause;
  }
  if (begun.done) {
    const { value: inferred } = begun;
    return sellWhole(request, payment, async () => inferred, ports);
  }
  parts.push(begun.value);
  const key = formatKey(payment.authorization);
  ports.inFlight.keep(key);
  const owing = owePayment(payment, ports);
  const run = startRun(request, payment, { stream, parts, owing, stop: () => stop.abort() }, ports);
  ports.inFlight.outlive(key, run.whole);
  try {
    const owed = await withinWait(owing.result, ports);
    if (owed === 'owed') return { kind: 'running', run };
    if (owed === 'later') return begunElsewhere;
    if (owed === 'released') return uncharged('The model did not end its completion.', retryAfterSeconds);
  } catch (cause) {
    // A store that throws is a defect of the gateway; the reservation is released all the same.
    run.stop();
    await releasePayment(payment, ports);
    throw cause;
  }
  run.stop();
  return afterLostLease(request, payment, ports);
}

async function cancel(stream: InferenceStream): Promise<Result<never, InferenceFault>> {
  const cancelled = fail({ kind: 'cancelled', detail: 'all clients left before the first text' } as const);
  await stream.return(cancelled);
  return cancelled;
}
