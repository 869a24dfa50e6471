import { headerNames } from '@paid-inference/contract/constants';
import type {
  ChatCompletion,
  ChatCompletionRequest,
  CompletionRequest,
  paths,
  SettlementType,
  TextCompletion,
} from '@paid-inference/contract/types';
import * as valid from '@paid-inference/contract/validators';
import createApi from 'openapi-fetch';
import { failed, refusedByGateway } from './failure.ts';
import { createPayer, type Exchange, type Payer, type PayerOptions, unwrapResponse } from './pay.ts';
import { readOffer } from './payment/offer.ts';
import type { PaymentOutcome } from './payment/outcome.ts';
import type {
  AttestationResult,
  ModelResult,
  ModelsResult,
  PaidResult,
  ProofResult,
  QuoteResult,
  Unreached,
} from './result.ts';

export type ClientOptions = PayerOptions & {
  /** The URL of the gateway, without a trailing `/v1`. */
  readonly baseUrl: string;
  /** How much inference data the proof ledger gets; the gateway's default when left out (contract §4.3). */
  readonly settlementType?: SettlementType;
};

export type CallOptions = {
  readonly settlementType?: SettlementType;
  /** Aborts the call. A payment that was already sent stays valid. */
  readonly signal?: AbortSignal;
};

/** The gateway's operations. Errors of gateway, network and wallet are values; only wrong use throws. */
export type Client = {
  /** Pays for a chat completion (contract §4.1). */
  chat(body: ChatCompletionRequest, options?: CallOptions): Promise<PaidResult<ChatCompletion>>;
  /** Pays for a text completion (contract §4.2). */
  complete(body: CompletionRequest, options?: CallOptions): Promise<PaidResult<TextCompletion>>;
  /** The price of a request: sends it without a payment and returns the offer. */
  quote(body: ChatCompletionRequest | CompletionRequest, options?: CallOptions): Promise<QuoteResult>;
  /** The catalog (D-31). A gateway may lack one. */
  models(options?: Pick<CallOptions, 'signal'>): Promise<ModelsResult>;
  model(id: string, options?: Pick<CallOptions, 'signal'>): Promise<ModelResult>;
  /** The state of a proof of inference (D-31). */
  proof(id: string, options?: Pick<CallOptions, 'signal'>): Promise<ProofResult>;
  /**
   * Evidence about the machine that holds an enclave key: the current key, or the key of an older proof (D-30).
   */
  attestation(
    about?: { readonly nonce?: string; readonly signer?: string },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<AttestationResult>;
  /** The sum of all signed authorizations, in the token's smallest unit. */
  amountSigned(): bigint;
};

/** Throws for an invalid base URL or invalid rules. */
export function createClient(options: ClientOptions): Client {
  const payer = createPayer(options);
  const api = createApi<paths>({ baseUrl: requireBaseUrl(options.baseUrl) });
  const settings = ({ settlementType = options.settlementType, signal }: CallOptions) => ({
    params: { header: settlementType === undefined ? {} : { [headerNames.settlementType]: settlementType } },
    signal: signal ?? null,
  });

  return {
    async chat(body, call = {}) {
      const post = (fetch: Carrier) => api.POST('/v1/chat/completions', { ...settings(call), body, fetch });
      return paidResult(await record(payer.exchange, post), valid.ChatCompletion, 'a chat completion');
    },
    async complete(body, call = {}) {
      const post = (fetch: Carrier) => api.POST('/v1/completions', { ...settings(call), body, fetch });
      return paidResult(await record(payer.exchange, post), valid.TextCompletion, 'a text completion');
    },
    async quote(body, call = {}) {
      const post = (fetch: Carrier) =>
        'prompt' in body
          ? api.POST('/v1/completions', { ...settings(call), body, fetch })
          : api.POST('/v1/chat/completions', { ...settings(call), body, fetch });
      const { exchange } = await record(payer.ask, post);
      if (exchange.kind === 'lost') return unreached(exchange);
      const { received } = exchange;
      if (received.response.status !== 402) return failed(received, unsent, 'an offer');
      const read = readOffer(received.response.headers);
      if (!read.ok) return { ...failed(received, unsent, 'an offer'), message: read.refusal.message };
      return { kind: 'offer', offer: read.offer };
    },
    async models({ signal = null } = {}) {
      const { exchange, data } = await record(payer.ask, (fetch) => api.GET('/v1/models', { signal, fetch }));
      if (exchange.kind === 'lost') return unreached(exchange);
      if (valid.CatalogModelList(data)) return { kind: 'models', models: data.data };
      return failed(exchange.received, unsent, 'a list of models');
    },
    async model(id, { signal = null } = {}) {
      const path = { id };
      const { exchange, data } = await record(payer.ask, (fetch) =>
        api.GET('/v1/models/{id}', { params: { path }, signal, fetch }),
      );
      if (exchange.kind === 'lost') return unreached(exchange);
      if (valid.CatalogModel(data)) return { kind: 'model', model: data };
      return failed(exchange.received, unsent, 'a model');
    },
    async proof(id, { signal = null } = {}) {
      const path = { id };
      const { exchange, data } = await record(payer.ask, (fetch) =>
        api.GET('/v1/proofs/{id}', { params: { path }, signal, fetch }),
      );
      if (exchange.kind === 'lost') return unreached(exchange);
      if (valid.ProofRecord(data)) return { kind: 'proof', proof: data };
      return failed(exchange.received, unsent, 'the record of a proof');
    },
    async attestation(query = {}, { signal = null } = {}) {
      const { exchange, data } = await record(payer.ask, (fetch) =>
        api.GET('/v1/attestation', { params: { query }, signal, fetch }),
      );
      if (exchange.kind === 'lost') return unreached(exchange);
      if (valid.Attestation(data)) return { kind: 'attestation', attestation: data };
      return failed(exchange.received, unsent, 'an attestation');
    },
    amountSigned: payer.amountSigned,
  };
}

const unsent: PaymentOutcome = { state: 'unsent' };

type Carrier = (request: Request) => Promise<Response>;
type Recorded = { readonly exchange: Exchange; readonly data: unknown };

/**
 * Runs one openapi-fetch call and keeps its exchange. openapi-fetch returns neither header types nor the
 * payment's outcome, and it throws both for a lost response and for a body that is not JSON.
 */
async function record(
  via: Payer['exchange'],
  call: (fetch: Carrier) => Promise<{ readonly data?: unknown }>,
): Promise<Recorded> {
  let exchange: Exchange | undefined;
  try {
    const { data } = await call(async (request) => {
      exchange = await via(request);
      return unwrapResponse(exchange);
    });
    if (exchange !== undefined) return { exchange, data };
  } catch (error) {
    if (exchange === undefined) throw error; // The caller passed an invalid request.
    return { exchange, data: undefined };
  }
  throw new Error('openapi-fetch returned without sending a request');
}

function paidResult<Completion>(
  { exchange, data }: Recorded,
  isCompletion: valid.Validate<Completion>,
  expected: string,
): PaidResult<Completion> {
  if (exchange.kind === 'lost') return unreached(exchange);
  if (exchange.kind === 'refused') {
    const { refusal, offer } = exchange;
    return { kind: 'refused', by: 'rules', ...refusal, offer, payment: unsent };
  }
  const { received, payment, replayed, receiptFault } = exchange;
  const { headers, status } = received.response;
  if (isCompletion(data)) {
    return {
      kind: 'completion',
      completion: data,
      payment,
      receipt: payment.state === 'settled' ? payment.receipt : null,
      receiptFault,
      replayed,
      ignoredFields: headers.get(headerNames.ignoredFields)?.split(/, */) ?? [],
      requestId: headers.get(headerNames.requestId),
    };
  }
  if (status === 402 && received.error === null) return refusedByGateway(received, payment);
  return failed(received, payment, expected);
}

function unreached({ lost, payment }: Exchange & { readonly kind: 'lost' }): Unreached {
  return { kind: 'network', message: lost.message, payment };
}

function requireBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new TypeError(
      `Not the base URL of a gateway: ${text}. Use http or https, without user name and query`,
    );
  }
  return text;
}
