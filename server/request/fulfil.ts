import type { AcceptablePayment } from '../payment/verify.ts';
import type { KeptProof } from '../proof/proof-store.ts';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import { askSettler } from './ask-settler.ts';
import { giveBack, keepAnswer } from './insist.ts';
import type { Outcome } from './outcome.ts';
import {
  afterLostLease,
  forgotten,
  replay,
  resume,
  revertsBefore,
  settle,
  spentElsewhere,
  usedElsewhere,
} from './owed.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { reserve } from './reserve.ts';

const retryAfterSeconds = 1;
/** A token that is paused stays so for a while. */
const stoppedRetryAfterSeconds = 30;
const notSold: Outcome = {
  kind: 'unavailable',
  message: 'New payments are not taken now; the same X-PAYMENT may be sent again later. GET /ready says why.',
  retryAfterSeconds: 5,
};

/** Everything behind the claim of the authorization: once for all requests that carry the same one. */
export async function fulfil(
  request: PricedRequest,
  payment: AcceptablePayment,
  everybodyLeft: AbortSignal,
  ports: PaidPorts,
): Promise<Outcome> {
  if (ports.inFlight.size >= ports.limits.concurrentInferencesMax)
    return { kind: 'overloaded', retryAfterSeconds };
  const { authorization } = payment;
  if ((await ports.saleIssue(request.task.model)) !== null)
    return (await replay(request, authorization, ports)) ?? notSold;
  const reserved = await reserve(request, payment, everybodyLeft, ports);
  switch (reserved.kind) {
    case 'unavailable':
      return {
        kind: 'unavailable',
        message: 'The chain cannot be asked for the balance.',
        retryAfterSeconds,
      };
    case 'spent':
      return spentElsewhere(request.quote);
    case 'reverting':
      return revertsBefore(request.quote);
    case 'stopped':
      return {
        kind: 'unavailable',
        message: 'The payment token takes no transfers to the recipient now.',
        retryAfterSeconds: stoppedRetryAfterSeconds,
      };
    case 'balance-unknown':
      return {
        kind: 'unavailable',
        message: 'The balance changes faster than it can be read.',
        retryAfterSeconds,
      };
    case 'unsettled':
      return {
        kind: 'unavailable',
        message: 'The balance is not clear before earlier payments of this payer have settled.',
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
      if (reserved.sameRequest) return resume(request, reserved.payment, ports);
      // Of a private request it is not known any more which it was.
      return reserved.payment.fingerprint === noFingerprint
        ? forgotten(request.quote)
        : usedElsewhere(request.quote);
    case 'reserved':
      return execute(request, reserved.payment, everybodyLeft, ports);
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
      await giveBack(payment, ports);
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
    await giveBack(payment, ports);
    throw cause;
  }
  const kept = await keepAnswer(payment, answer, proof, ports);
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
