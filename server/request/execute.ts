import type { AcceptablePayment } from '../payment/verify.ts';
import type { KeptProof } from '../store/proof-store.ts';
import type { PaymentRecord } from '../store/store.ts';
import { askSettler } from './ask-settler.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import {
  afterLostLease,
  begunElsewhere,
  lookUp,
  replayKnown,
  revertsBefore,
  settle,
  spentElsewhere,
} from './replay.ts';
import { reserve } from './reserve.ts';
import { releasePayment, writeExecuted } from './retry-write.ts';

const retryAfterSeconds = 1;
/** A token that is paused stays so for a while. */
const stoppedRetryAfterSeconds = 30;
const notSold = uncharged(
  'New payments are not taken now; the same X-PAYMENT may be sent again later. GET /ready says why.',
  5,
);

/**
 * Everything behind the claim of the authorization: once for all requests that carry the same one. The store is asked
 * first: for a payment that it knows, chain, upstream and load do not matter (D-160).
 */
export async function executeAndSettle(
  request: PricedRequest,
  payment: AcceptablePayment,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  // Counted before the first wait: after it, this request is one of those under way.
  const isFull = ports.inFlight.size >= ports.limits.concurrentInferencesMax;
  const known = await lookUp(request, payment.authorization, ports);
  if (known !== null && known.state !== 'reserved') return replayKnown(request, known, ports);
  if (isFull) return known === null ? { kind: 'overloaded', retryAfterSeconds } : begunElsewhere;
  if ((await ports.saleIssue(request.task.model)) !== null) return known === null ? notSold : begunElsewhere;
  // A payment that the store knows does not count: once it is on the chain, anybody can send it again (D-32).
  const refusedPayer = known === null ? await ports.admitPayer(payment.authorization.from) : null;
  if (refusedPayer !== null) return { kind: 'rate-limited', ...refusedPayer };
  const reserved = await reserve(request, payment, everybodyLeft, ports);
  switch (reserved.kind) {
    case 'known':
      return replayKnown(request, reserved.payment, ports);
    case 'reserved':
      return execute(request, reserved.payment, everybodyLeft, ports);
    default:
      return notReserved(request, reserved);
  }
}

/** Nothing was claimed, or it was given back. */
function notReserved(
  request: PricedRequest,
  reserved: Exclude<Awaited<ReturnType<typeof reserve>>, { kind: 'known' | 'reserved' }>,
): Outcome {
  switch (reserved.kind) {
    case 'unavailable':
      return uncharged('The chain cannot be asked for the balance.', retryAfterSeconds);
    case 'spent':
      return spentElsewhere(request.quote);
    case 'reverting':
      return revertsBefore(request.quote);
    case 'stopped':
      return uncharged(
        'The payment token takes no transfers to the recipient now.',
        stoppedRetryAfterSeconds,
      );
    case 'balance-unknown':
      return uncharged('The balance changes faster than it can be read.', retryAfterSeconds);
    case 'unsettled':
      return uncharged(
        'The balance is not clear before earlier payments of this payer have settled.',
        retryAfterSeconds,
      );
    case 'insufficient': {
      const message = `The payer has ${reserved.available} units free; this request costs ${quote(request)}.`;
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
    case 'blocked': {
      const message = 'This payer left work unpaid; it is served again a while later.';
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
  }
}

/** Runs the inference; only a complete answer is kept, and only a kept answer is charged (D-22). */
async function execute(
  request: PricedRequest,
  payment: PaymentRecord,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  const refusal = await askSettler(request, payment, ports);
  if (refusal !== null) return refusal;
  const { inferenceTimeoutMs } = ports.limits;
  const limits = { timeoutMs: inferenceTimeoutMs, signal: everybodyLeft };
  let answer: string;
  let proof: KeptProof;
  try {
    const inferred = await request.engine.infer(request.task, limits);
    if (!inferred.ok) {
      await releasePayment(payment, ports);
      const { id: paymentId } = payment;
      ports.log.warn(
        { payment: paymentId, engine: request.engine.name, fault: inferred.fault },
        'no answer, no charge',
      );
      return { kind: 'inference-failed', fault: inferred.fault };
    }
    answer = wellFormed(request.compose(inferred.value));
    proof = prove(request, answer, ports);
  } catch (cause) {
    // An engine that throws is our defect, and still nothing may stay reserved for it.
    await releasePayment(payment, ports);
    throw cause;
  }
  const kept = await writeExecuted(payment, answer, proof, ports);
  if (kept === 'lost') return afterLostLease(request, payment, ports);
  // Kept later, the same payment is the one to send again.
  if (kept === 'later') return { kind: 'settlement-pending', retryAfterSeconds };
  return settle(request, { ...payment, state: 'executed', answer, proof: proof.header }, false, ports);
}

/** As JSON. Half a surrogate pair, which an engine may write, has no canonical form and could not be proven (D-68). */
function wellFormed(body: object): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Signed now that the inference is complete; it becomes due when its payment settles (contract 1, 4.3). */
function prove(
  { inputHash, task, settlementType }: PricedRequest,
  answer: string,
  { prover }: PaidPorts,
): KeptProof {
  return prover.prove({ inputHash, answer, model: task.model, settlementType });
}

function quote(request: PricedRequest): string {
  return request.quote.requirements.maxAmountRequired;
}
