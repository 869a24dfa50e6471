import type { InferenceFault } from '../inference/engine.ts';
import { owedRunsMax } from '../store/owed.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Bytes32, unixSeconds } from '../types/units.ts';
import { type MadeCompletion, makeCompletion } from './make-completion.ts';
import type { Outcome } from './outcome.ts';
import { endOwedRun, writeOwed } from './owe-payment.ts';
import { formatKey, type PaidPorts, type PricedRequest } from './paid-request.ts';
import { begunElsewhere, paid, presentSettlement } from './present-settlement.ts';
import { leaseSecondsFor } from './reserve.ts';
import { withinWait } from './retry-write.ts';
import { countPlaces, makeRoom } from './working-places.ts';

/**
 * Serves a payment whose run broke after its first text (D-272). Once the chain shows the payment, the model runs
 * again, to its end and without a client if need be. The completion is delivered whole.
 */
export async function serveOwed(
  request: PricedRequest,
  payment: PaymentRecord,
  ports: PaidPorts,
): Promise<Outcome> {
  const { clock, store, limits } = ports;
  const now = clock.steadySeconds();
  if (payment.leaseUntil > now) return restsUntil(payment, now);
  const settlement = await ports.settler.settle(payment);
  if (settlement.state !== 'settled') return presentSettlement(request, payment, settlement, true);
  if (payment.owedRuns >= owedRunsMax) return modelFailed;
  const { from: payer } = payment.authorization;
  // The count includes this request.
  const isFull = countPlaces(ports) > limits.concurrentInferencesMax;
  if (isFull || (await ports.saleIssue(request.task.model, payer)) !== null) return begunElsewhere;
  const place = ports.slots.enter({ model: request.task.model, payer, site: request.site });
  if (typeof place === 'string') return begunElsewhere;
  try {
    if (!(await place.start(ports.stopped))) return begunElsewhere;
    const leaseFrom = clock.steadySeconds();
    const leaseUntil = unixSeconds(leaseFrom + leaseSecondsFor(limits));
    const taken = await store.takeOwed(payment.id, leaseUntil, leaseFrom);
    const held = { ...request, engine: place.within(request.engine) };
    if (taken !== null) makeRoom(ports);
    if (taken !== null) return await rerun(held, taken, settlement.txHash, ports);
    const known = await store.find(payment.id);
    return known === null || known.completion === null
      ? begunElsewhere
      : paid(known, settlement.txHash, true);
  } finally {
    place.leave();
  }
}

async function rerun(
  request: PricedRequest,
  payment: PaymentRecord,
  txHash: Bytes32,
  ports: PaidPorts,
): Promise<Outcome> {
  ports.inFlight.keep(formatKey(payment.authorization));
  const limits = { timeoutMs: ports.limits.inferenceTimeoutMs, signal: ports.stopped };
  let made: MadeCompletion;
  try {
    const inferred = await request.engine.infer(request.task, limits);
    if (!inferred.ok) {
      await endOwedRun(payment, ports, restAfter(payment));
      reportFailure(payment, inferred.fault, ports);
      return payment.owedRuns < owedRunsMax
        ? { kind: 'inference-failed', fault: inferred.fault, isCharged: true }
        : modelFailed;
    }
    made = makeCompletion(request, inferred.value, request.identify(), ports);
  } catch (cause) {
    await endOwedRun(payment, ports);
    throw cause;
  }
  const isKept = await withinWait(writeOwed(payment, made, ports), ports);
  if (isKept !== true) return begunElsewhere;
  const { completion, proof } = made;
  return paid({ ...payment, completion, proof: proof.header }, txHash, true);
}

/** The rest after the first rerun that failed. Each further one is four times as long. */
const firstRestSeconds = 5;

/** An outage or a full upstream may last for minutes, and a client may retry within milliseconds. */
function restAfter({ owedRuns }: PaymentRecord): number {
  return owedRuns < owedRunsMax ? firstRestSeconds * 4 ** (owedRuns - 1) : 0;
}

/** A run is under way elsewhere, or the last one failed and the next one waits. */
function restsUntil(payment: PaymentRecord, now: number): Outcome {
  const restSeconds = Math.min(payment.leaseUntil - now, restAfter(payment));
  return { ...begunElsewhere, retryAfterSeconds: Math.max(1, Math.ceil(restSeconds)) };
}

const modelFailed: Outcome = {
  kind: 'refund-due',
  message:
    'The model failed too often for this payment, which is charged. Ask the operator for a refund, and give the nonce.',
};

function reportFailure(
  { id, authorization, owedRuns }: PaymentRecord,
  fault: InferenceFault,
  { log }: PaidPorts,
): void {
  const fields = { payment: id, payer: authorization.from, amount: String(authorization.value), fault };
  if (owedRuns < owedRunsMax) log.warn(fields, 'a repeated run failed; its completion is still owed');
  else log.error(fields, 'The model failed too often for a charged payment. Pay its payer back.');
}
