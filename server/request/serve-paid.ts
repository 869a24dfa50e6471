import { chainId, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt, SettlementType } from '@paid-inference/contract/types';
import type { Exchange, OperationId } from '../http/contract.ts';
import type { Engine, Inference, InferenceTask } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { ReadBalance } from '../payment/balance.ts';
import { decodePayment, type PaymentHeaders } from '../payment/decode.ts';
import { checkTerms, type TermsFault } from '../payment/terms.ts';
import {
  type AcceptablePayment,
  type AuthorizationDigest,
  type SignatureRecovery,
  type VerifiedPayment,
  verifyPayment,
} from '../payment/verify.ts';
import type { Settler } from '../settlement/settler.ts';
import type { Claim, PaymentRecord, Reserved, Store } from '../store/store.ts';
import type { Clock } from '../vocabulary/clock.ts';
import type { Address, Bytes32 } from '../vocabulary/units.ts';
import type { InFlight } from './in-flight.ts';
import type { Outcome } from './outcome.ts';
import type { Quote } from './quote.ts';

/** Everything that a paid request needs of the world, and the bounds it keeps. */
export type PaidPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly settler: Settler;
  readonly readBalance: ReadBalance;
  readonly digestOf: AuthorizationDigest;
  readonly recovery: SignatureRecovery;
  readonly inFlight: InFlight<Outcome>;
  /** Takes one request from the payer's allowance; how long to wait where none is left. */
  readonly admitPayer: (payer: Address) => Promise<{ readonly retryAfterSeconds: number } | null>;
  readonly limits: {
    readonly paymentHeaderBytesMax: number;
    readonly inferenceTimeoutMs: number;
    readonly settlementMarginSeconds: number;
    readonly concurrentInferencesMax: number;
  };
};

/** A valid request with its price, before anybody paid. */
export type PricedRequest = {
  readonly operationId: OperationId;
  readonly task: InferenceTask;
  readonly quote: Quote;
  readonly engine: Engine;
  readonly settlementType: SettlementType;
  readonly fingerprint: string;
  readonly payment: PaymentHeaders;
  /** Makes the response body of an inference. */
  readonly compose: (inference: Inference) => object;
};

const retryAfterSeconds = 1;
const balanceReadingsMax = 3;

/** The way of a paid request, from the offer to the receipt. Read from top to bottom: every step can end it. */
export async function servePaid(
  request: PricedRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Outcome> {
  const { quote } = request;
  const { payment: header, paymentSignature } = request.payment;
  if (header === undefined && paymentSignature === undefined) {
    const message = 'Sign the offer in X-PAYMENT-REQUIRED and send the same request again with X-PAYMENT.';
    return { kind: 'offer', quote, reason: 'X-PAYMENT header is required', message };
  }
  const submitted = decodePayment(request.payment, ports.limits.paymentHeaderBytesMax);
  if (!submitted.ok) return { kind: 'offer', quote, ...submitted.fault };

  const verified = verifyPayment(submitted.value, ports.digestOf, ports.recovery);
  if (!verified.ok) return { kind: 'invalid-signature', ...verified.fault };

  const runwaySeconds = ports.limits.inferenceTimeoutMs / 1000 + ports.limits.settlementMarginSeconds;
  const now = ports.clock.nowSeconds();
  const acceptable = checkTerms(verified.value, quote.requirements, now, Math.ceil(runwaySeconds));

  const { from, nonce } = verified.value.authorization;
  // Only a payment that could be taken now counts: old ones are public on the chain, and anybody can send them again.
  const refusedPayer = acceptable.ok ? await ports.admitPayer(from) : null;
  if (refusedPayer) return { kind: 'rate-limited', ...refusedPayer };

  const work = await ports.inFlight.join(
    `${from}:${nonce}`,
    request.fingerprint,
    exchange.clientLeft,
    (everybodyLeft) =>
      acceptable.ok
        ? fulfil(request, acceptable.value, everybodyLeft, ports)
        : repeat(request, verified.value, acceptable.fault, ports),
  );
  if (work === null) return usedElsewhere(quote);
  const { result, joined } = work;
  return joined && result.kind === 'paid' ? { ...result, replayed: true } : result;
}

/** Everything behind the claim of the authorization: once for all requests that carry the same one. */
async function fulfil(
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

/**
 * A payment that would not be taken now may have been taken before: its window closes and prices change, but what was
 * bought is still owed, and whoever waits for the chain must never be offered to pay again (D-19, D-24).
 */
async function repeat(
  request: PricedRequest,
  { authorization: { from, nonce } }: VerifiedPayment,
  fault: TermsFault,
  ports: PaidPorts,
): Promise<Outcome> {
  const known = await ports.store.lookUp(request.quote.requirements.asset as Address, from, nonce);
  const isRepetition =
    known !== null && known.state !== 'released' && known.fingerprint === request.fingerprint;
  return isRepetition ? resume(request, known, ports) : { kind: 'offer', quote: request.quote, ...fault };
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

/** The same payment for the same request as before: what became of it then is what becomes of it now (D-19). */
async function resume(request: PricedRequest, payment: PaymentRecord, ports: PaidPorts): Promise<Outcome> {
  switch (payment.state) {
    case 'settled':
      return paid(payment, payment.txHash, true);
    case 'executed':
    case 'submitted':
      return settle(request, payment, true, ports);
    case 'failed':
      return refused(request, payment.failure ?? 'invalid_transaction_state');
    case 'reserved':
    case 'released':
      return {
        kind: 'unavailable',
        message: 'This payment is being worked on elsewhere.',
        retryAfterSeconds,
      };
  }
}

async function settle(
  request: PricedRequest,
  payment: PaymentRecord,
  replayed: boolean,
  ports: PaidPorts,
): Promise<Outcome> {
  const settlement = await ports.settler.settle(payment);
  switch (settlement.state) {
    case 'settled':
      return paid(payment, settlement.txHash, replayed);
    case 'refused':
      return refused(request, settlement.reason);
    case 'unknown':
      return { kind: 'settlement-pending', retryAfterSeconds };
  }
}

function paid(payment: PaymentRecord, txHash: Bytes32 | null, replayed: boolean): Outcome {
  if (payment.answer === null || txHash === null)
    throw new Error(`payment ${payment.id} has no answer or transaction`);
  const { from, value } = payment.authorization;
  const receipt: PaymentReceipt = {
    success: true,
    network,
    chainId,
    txHash,
    payer: from,
    transaction: txHash,
    amount: value.toString(),
  };
  return { kind: 'paid', answer: payment.answer, receipt, replayed };
}

/** The chain refused after the work was done: the answer is withheld, and a new payment would be served (D-23). */
function refused(request: PricedRequest, reason: string): Outcome {
  if (reason === 'insufficient_funds') {
    const message = 'The balance was gone when the payment was to settle; nothing was charged.';
    return { kind: 'insufficient-funds', quote: request.quote, message };
  }
  const message = 'The chain refused this payment; nothing was charged. Sign a new one.';
  return { kind: 'offer', quote: request.quote, reason, message };
}

function usedElsewhere(quote: Quote): Outcome {
  const message = 'This authorization was used for another request; sign a new one.';
  return { kind: 'offer', quote, reason: 'invalid_exact_evm_nonce_already_used', message };
}

function quote(request: PricedRequest): string {
  return request.quote.requirements.maxAmountRequired;
}
