import { headerNames } from '@paid-inference/contract/constants';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionRequest,
  paths,
  SettlementType,
  TextCompletion,
  TextCompletionChunk,
} from '@paid-inference/contract/types';
import * as valid from '@paid-inference/contract/validators';
import createApi from 'openapi-fetch';
import { systemClock } from './clock.ts';
import { failed } from './failure.ts';
import { responseBytesMax, streamIdleMsMax } from './limits.ts';
import { readPaidResult, unreached } from './paid-result.ts';
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
  StreamResult,
} from './result.ts';
import { chatForm, type StreamForm, textForm } from './stream/assembly.ts';
import { type FollowPorts, followStream } from './stream/follow.ts';

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
  /** Pays for a chat completion that arrives in chunks (D-267). A gateway that cannot stream sends it whole. */
  streamChat(
    body: ChatCompletionRequest,
    options?: CallOptions,
  ): Promise<StreamResult<ChatCompletionChunk, ChatCompletion>>;
  /** The same for a text completion. */
  streamComplete(
    body: CompletionRequest,
    options?: CallOptions,
  ): Promise<StreamResult<TextCompletionChunk, TextCompletion>>;
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
    ...createPaidCalls(options, payer, api, settings),
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

type Api = ReturnType<typeof createApi<paths>>;
type PaidCalls = Pick<Client, 'chat' | 'complete' | 'streamChat' | 'streamComplete'>;

function createPaidCalls(
  { clock = systemClock, onStep = () => undefined }: ClientOptions,
  payer: Payer,
  api: Api,
  settings: (call: CallOptions) => { params: { header: object }; signal: AbortSignal | null },
): PaidCalls {
  const following = ({ signal = new AbortController().signal }: CallOptions): FollowPorts => ({
    clock,
    onStep,
    bounds: { bytesMax: responseBytesMax, idleMs: streamIdleMsMax },
    signal,
    mayRestart: true,
  });
  return {
    async chat(body, call = {}) {
      requireUnstreamed(body);
      const post = (fetch: Carrier) => api.POST('/v1/chat/completions', { ...settings(call), body, fetch });
      return readPaidResult((await record(payer.exchange, post)).exchange, chatForm);
    },
    async complete(body, call = {}) {
      requireUnstreamed(body);
      const post = (fetch: Carrier) => api.POST('/v1/completions', { ...settings(call), body, fetch });
      return readPaidResult((await record(payer.exchange, post)).exchange, textForm);
    },
    async streamChat(asked, call = {}) {
      const body = streamed(asked);
      const post = (fetch: Carrier) =>
        api.POST('/v1/chat/completions', { ...settings(call), body, fetch, parseAs: 'stream' });
      return streamResult((await record(payer.stream, post)).exchange, chatForm, following(call));
    },
    async streamComplete(asked, call = {}) {
      const body = streamed(asked);
      const post = (fetch: Carrier) =>
        api.POST('/v1/completions', { ...settings(call), body, fetch, parseAs: 'stream' });
      return streamResult((await record(payer.stream, post)).exchange, textForm, following(call));
    },
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

/** A stream, or the result of a gateway that does not stream. */
function streamResult<Chunk extends { readonly id: string }, Completion>(
  exchange: Exchange,
  form: StreamForm<Chunk, Completion>,
  ports: FollowPorts,
): StreamResult<Chunk, Completion> {
  return exchange.kind === 'responded' && exchange.stream !== null
    ? followStream({ ...exchange, stream: exchange.stream }, form, ports)
    : readPaidResult(exchange, form);
}

/** `chat` and `complete` would pay for a stream that they cannot return. */
function requireUnstreamed({ stream }: { readonly stream?: unknown }): void {
  if (stream === true) throw new TypeError('a body with `stream` needs streamChat or streamComplete');
}

/** A proof covers the usage, so the client always asks for it. */
function streamed<Body extends object>(body: Body) {
  return { ...body, stream: true, stream_options: { include_usage: true } };
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
