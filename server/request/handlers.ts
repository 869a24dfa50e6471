import { randomUUID } from 'node:crypto';
import type {
  CatalogModel,
  ChatCompletion,
  SettlementType,
  TextCompletion,
} from '@paid-inference/contract/types';
import { SettlementType as isSettlementType } from '@paid-inference/contract/validators';
import type { Exchange, Handlers, OperationId, Operations, Reply } from '../http/contract.ts';
import type { InvalidRequest } from '../http/param.ts';
import { errorBody, shareBody } from '../http/reply.ts';
import type { RateCard } from '../inference/catalog.ts';
import type { Engine, Inference, InferenceTask } from '../inference/engine.ts';
import { namePaymentHeader, type PaymentHeaders } from '../payment/decode.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { type StreamIdentity, streamWhole } from './chunk-writer.ts';
import { boughtPart, type DeliveryFields, isStreamed, wantsUsage } from './delivery.ts';
import { createDiscoveryHandlers } from './discovery-handlers.ts';
import { findIgnoredFields } from './engine-fields.ts';
import { fingerprintRequest } from './fingerprint.ts';
import type { SlotPool } from './inference-slots.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { ParseCompletion } from './parse-completion.ts';
import {
  type PaidOutcome,
  type Presented,
  paidHeaders,
  presentFailure,
  type StreamingOutcome,
} from './present.ts';
import { createProofHandlers, type ProofPorts } from './proof-handlers.ts';
import { createQuoteTask, type OfferTerms, type QuoteTask } from './quote.ts';
import { replayUnsold } from './replay-unsold.ts';
import { servePaid } from './serve-paid.ts';
import { chatTask, type FindModel, type ModelLimits, type TaskLimits, textTask } from './task.ts';
import { findUnsupported } from './unsupported.ts';

/** A model in the catalog: its limits, its prices, its engine, and its public entry. */
export type SoldModel = ModelLimits & {
  readonly rateCard: RateCard;
  readonly engine: Engine;
  /** How many inferences may run at once (D-313). */
  readonly slots: SlotPool;
  readonly listed: CatalogModel;
};

/** A health issue makes the gateway not ready. A warning is reported, and the gateway stays ready. */
export type ReadinessReport = readonly {
  readonly name: string;
  readonly healthIssue: string | null;
  readonly warning?: string | null;
}[];

export type HandlerPorts = PaidPorts &
  ProofPorts & {
    readonly models: ReadonlyMap<string, SoldModel>;
    readonly terms: OfferTerms;
    readonly taskLimits: TaskLimits;
    readonly parseCompletion: ParseCompletion;
    readonly readiness: () => Promise<ReadinessReport>;
  };

type PaidCall = {
  readonly headers: {
    readonly 'X-PAYMENT'?: string;
    readonly 'PAYMENT-SIGNATURE'?: string;
    readonly 'X-SETTLEMENT-TYPE'?: SettlementType;
    readonly 'Idempotency-Key'?: string;
    readonly 'x-stainless-retry-count'?: string;
  };
  readonly body: DeliveryFields;
  readonly received: object;
};

type Composer = Pick<PricedRequest, 'site' | 'identify' | 'compose'>;

/** Stands for the hash of the body, and for the fingerprint, when a request has no payment. */
const notPaying = `0x${'00'.repeat(32)}` as Bytes32;
const noStore = { 'Cache-Control': 'no-store' } as const;

/**
 * One handler for each operation of the contract. With explicit return types an extra field does not compile
 * either.
 */
export function createHandlers(ports: HandlerPorts): Handlers {
  const findModel: FindModel = (id) => ports.models.get(id);
  const pricing = { ...ports, quoteTask: createQuoteTask(ports.terms) };
  const listed = [...ports.models.values()].map((model) => shareBody(model.listed));
  const modelList = shareBody({ object: 'list' as const, data: listed });
  const health = shareBody({ status: 'ok' as const });

  return {
    async createChatCompletion(call, exchange): Promise<Reply<Operations['createChatCompletion']>> {
      const composer: Composer = {
        site: exchange.site,
        identify: () => identify('chatcmpl-', call.body, ports),
        compose: chatCompletion,
      };
      const task = checkUnsupported(call.body, 'chat') ?? chatTask(call.body, findModel, ports.taskLimits);
      const priced = task.ok ? price(pricing, 'createChatCompletion', call, task.value, composer) : task;
      const outcome = await serve(ports, priced, 'createChatCompletion', call, exchange);
      const presented = describeRequest(priced, call, exchange);
      if (outcome.kind === 'streaming') return presentLive(outcome, call.body, presented);
      if (outcome.kind !== 'paid') return presentFailure(outcome, presented);
      const body = await ports.parseCompletion<ChatCompletion>(outcome.completion, exchange.site);
      return presentPaid(outcome, body, call.body, presented);
    },

    async createCompletion(call, exchange): Promise<Reply<Operations['createCompletion']>> {
      const composer: Composer = {
        site: exchange.site,
        identify: () => identify('cmpl-', call.body, ports),
        compose: textCompletion,
      };
      const task = checkUnsupported(call.body, 'text') ?? textTask(call.body, findModel);
      const priced = task.ok ? price(pricing, 'createCompletion', call, task.value, composer) : task;
      const outcome = await serve(ports, priced, 'createCompletion', call, exchange);
      const presented = describeRequest(priced, call, exchange);
      if (outcome.kind === 'streaming') return presentLive(outcome, call.body, presented);
      if (outcome.kind !== 'paid') return presentFailure(outcome, presented);
      const body = await ports.parseCompletion<TextCompletion>(outcome.completion, exchange.site);
      return presentPaid(outcome, body, call.body, presented);
    },

    async listModels(): Promise<Reply<Operations['listModels']>> {
      return { status: 200, headers: {}, body: modelList };
    },

    async getModel(call): Promise<Reply<Operations['getModel']>> {
      const model = ports.models.get(call.path.id);
      if (model) return { status: 200, headers: {}, body: model.listed };
      const message = 'Unknown model; GET /v1/models lists all models.';
      return { status: 404, headers: {}, body: errorBody('not_found', message, 'id') };
    },

    ...createProofHandlers(ports),
    ...createDiscoveryHandlers(ports.terms, ports.models),

    async getHealth(): Promise<Reply<Operations['getHealth']>> {
      return { status: 200, headers: noStore, body: health };
    },

    async getReadiness(): Promise<Reply<Operations['getReadiness']>> {
      const report = await ports.readiness();
      const checks = report.map(({ name, healthIssue, warning = null }) => {
        const detail = healthIssue ?? warning;
        return { name, ready: healthIssue === null, ...(detail !== null && { detail }) };
      });
      if (checks.every((check) => check.ready))
        return { status: 200, headers: noStore, body: { status: 'ready', checks } };
      return { status: 503, headers: noStore, body: { status: 'not_ready', checks } };
    },
  };
}

/** Presents a paid completion, as a stream if the request asks for one. */
function presentPaid<Completion extends ChatCompletion | TextCompletion>(
  outcome: PaidOutcome,
  body: Completion,
  delivery: DeliveryFields,
  presented: Presented,
) {
  const headers = paidHeaders(outcome, presented);
  if (!isStreamed(delivery)) return { status: 200 as const, headers, body };
  const events = streamWhole(body, outcome.proof, wantsUsage(delivery));
  return { status: 200 as const, headers, body: null, events };
}

/** Presents a completion that the model still writes. Its proof comes with the events (D-267). */
function presentLive(outcome: StreamingOutcome, delivery: DeliveryFields, presented: Presented) {
  const headers = paidHeaders({ ...outcome, proof: null }, presented);
  return { status: 200 as const, headers, body: null, events: outcome.events(wantsUsage(delivery)) };
}

/** Serves the request, and adds the sale to its log line. An invalid request may have been valid once (D-225). */
async function serve(
  ports: HandlerPorts,
  priced: Result<PricedRequest, InvalidRequest>,
  operationId: OperationId,
  { body, received, headers }: PaidCall,
  exchange: Exchange,
): Promise<Outcome> {
  if (priced.ok) return sell(ports, priced.value, exchange);
  const settlementType = headers['X-SETTLEMENT-TYPE'] ?? 'batch';
  const request = { operationId, settlementType, body, received, payment: readPaymentHeaders(headers) };
  const known = await replayUnsold({ ...request, asset: ports.terms.asset }, exchange, ports);
  if (known === null) return { kind: 'invalid', fault: priced.fault };
  noteSale(known, exchange);
  return known;
}

function readPaymentHeaders({
  'X-PAYMENT': payment,
  'PAYMENT-SIGNATURE': paymentSignature,
}: PaidCall['headers']): PaymentHeaders {
  return { payment, paymentSignature };
}

function describeRequest(
  priced: Result<PricedRequest, InvalidRequest>,
  { headers }: PaidCall,
  { ignoredFields }: Exchange,
): Presented {
  const ignored = priced.ok ? [...ignoredFields, ...priced.value.ignoredFields] : ignoredFields;
  return { ignoredFields: ignored, paymentHeader: namePaymentHeader(readPaymentHeaders(headers)) };
}

async function sell(ports: HandlerPorts, request: PricedRequest, exchange: Exchange): Promise<Outcome> {
  const { task, quote, settlementType } = request;
  exchange.note({ model: task.model, price: quote.requirements.maxAmountRequired, settlementType });
  const outcome = await servePaid(request, exchange, ports);
  noteSale(outcome, exchange);
  return outcome;
}

function noteSale(outcome: Outcome, exchange: Exchange): void {
  if (outcome.kind === 'paid' || outcome.kind === 'streaming')
    exchange.note({
      transaction: outcome.receipt.txHash as Bytes32,
      ...(outcome.replayed && { replayed: true }),
    });
}

/** Adds settlement type, fingerprint and price. After this step only the payment is left to check. */
function price(
  ports: HandlerPorts & { readonly quoteTask: QuoteTask },
  operationId: OperationId,
  call: PaidCall,
  task: InferenceTask,
  composer: Composer,
): Result<PricedRequest, InvalidRequest> {
  const settlementType = call.headers['X-SETTLEMENT-TYPE'] ?? 'batch';
  if (!isSettlementType(settlementType)) {
    const message = 'X-SETTLEMENT-TYPE must be private, individual or batch.';
    return fail({ param: 'X-SETTLEMENT-TYPE', message });
  }
  const payment = readPaymentHeaders(call.headers);
  // The canonical form of a large body costs more than its offer, and only a payment needs it.
  const isPaying = payment.payment !== undefined || payment.paymentSignature !== undefined;
  const inputHash = isPaying ? ports.canonicalHash(call.received) : notPaying;
  const bought = boughtPart(call.body);
  const requestHash = !isPaying || bought === call.received ? inputHash : ports.canonicalHash(bought);
  if (inputHash === null || requestHash === null) {
    const message = 'The body has a string that is not well-formed Unicode, or a number beyond a double.';
    return fail({ param: null, message });
  }
  const model = ports.models.get(task.model);
  if (model === undefined) throw new Error(`The model ${task.model} disappeared after its check.`);
  const ignored = findIgnoredFields(task.fields, model.engine);
  if (!ignored.ok) return ignored;
  if (!isPaying) model.engine.prepare?.();
  return ok({
    operationId,
    task,
    quote: ports.quoteTask(task, model.rateCard),
    engine: model.engine,
    settlementType,
    fingerprint: isPaying ? fingerprintRequest(operationId, settlementType, requestHash) : notPaying,
    formerFingerprint: isPaying ? fingerprintRequest(operationId, settlementType, inputHash) : notPaying,
    ignoredFields: ignored.value,
    inputHash,
    payment,
    retry: {
      idempotencyKey: call.headers['Idempotency-Key'],
      retryCount: call.headers['x-stainless-retry-count'],
    },
    isStreamed: isStreamed(call.body),
    ...composer,
  });
}

function checkUnsupported(body: object, kind: 'chat' | 'text'): Result<never, InvalidRequest> | null {
  const validationError = findUnsupported(body as Readonly<Record<string, unknown>>, kind);
  return validationError && fail(validationError);
}

function chatCompletion(inference: Inference, { id, created, model }: StreamIdentity): ChatCompletion {
  if (inference.kind !== 'chat') throw new Error('An engine returned text for a chat request.');
  const { message, finishReason, usage } = inference;
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  return { id, object: 'chat.completion', created, model, choices, usage };
}

function textCompletion(inference: Inference, { id, created, model }: StreamIdentity): TextCompletion {
  if (inference.kind !== 'text') throw new Error('An engine returned a chat message for a text request.');
  const { text, finishReason, usage } = inference;
  const choices = [{ index: 0, text, finish_reason: finishReason }];
  return { id, object: 'text_completion', created, model, choices, usage };
}

function identify(
  prefix: string,
  { model }: { readonly model: string },
  { clock }: PaidPorts,
): StreamIdentity {
  return { id: prefix + randomUUID().replaceAll('-', ''), created: clock.nowSeconds(), model };
}
