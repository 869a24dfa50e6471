import { headerNames } from '@paid-inference/contract/constants';
import { errorTable } from '@paid-inference/contract/errors';
import type {
  PaymentAuthorization,
  PaymentRequirements,
  SavedExchange,
} from '@paid-inference/contract/types';
import { type Clock, systemClock } from './clock.ts';
import { attemptTimeoutMsDefault } from './limits.ts';
import { translateRequest, type Untranslatable } from './openai/translate.ts';
import { type PaymentSigner, type SignedPayment, signAuthorization } from './payment/authorization.ts';
import { readGatewayError } from './payment/gateway-error.ts';
import {
  createMemoryJournal,
  type Journal,
  type JournalEntry,
  type OpenPayment,
  type PaymentEnd,
  takeOwn,
} from './payment/journal.ts';
import { readOffer } from './payment/offer.ts';
import type { PaymentOutcome } from './payment/outcome.ts';
import { type OutgoingRequest, readRequest } from './payment/outgoing-request.ts';
import { type Presented, type PresentPorts, present } from './payment/present.ts';
import { checkOffer, type Refusal, requireValidRules, type SpendingRules } from './payment/rules.ts';
import { type Fetch, type Lost, type ReceivedResponse, send } from './payment/send.ts';
import type { Step } from './payment/step.ts';
import { saveExchange } from './saved-exchange.ts';

export type PayerOptions = {
  readonly signer: PaymentSigner;
  readonly rules: SpendingRules;
  /** Where the payments are kept; in memory when left out. `openJournal` keeps them in a file. */
  readonly journal?: Journal;
  /** The fetch that sends the requests; `globalThis.fetch` when left out. */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** Timeout of one request in milliseconds, body included. */
  readonly timeoutMs?: number;
  /** Called for each step as it happens. Must not throw. */
  readonly onStep?: (step: Step) => void;
  /** Called with each paid exchange, which `verifyExchange` can verify later. Must not throw. */
  readonly onExchange?: (exchange: SavedExchange) => void;
};

/** How a request ended. */
export type Exchange =
  | {
      readonly kind: 'responded';
      readonly received: ReceivedResponse;
      readonly payment: PaymentOutcome;
      readonly replayed: boolean;
      readonly receiptFault: string | null;
      /** Only for `Payer.stream`. */
      readonly stream: OpenStream | null;
    }
  /** The client did not pay the gateway's 402 and signed nothing. */
  | {
      readonly kind: 'refused';
      readonly received: ReceivedResponse;
      readonly refusal: Refusal;
      readonly offer: PaymentRequirements | null;
    }
  | { readonly kind: 'lost'; readonly lost: Lost; readonly payment: PaymentOutcome };

/** A 200 whose events are not read yet. */
export type OpenStream = {
  readonly request: OutgoingRequest;
  readonly events: ReadableStream<Uint8Array>;
  /** Sends the same request with the same payment again. */
  again(): Promise<Exchange>;
  /** Saves the exchange with the assembled body, once that is whole, and closes the payment. */
  save(body: string, proof: string | null): void;
  /** Ends the payment, because the caller has the whole completion. */
  close(): void;
  /** Lets a later call for the same request send the same payment. */
  keep(): void;
};

/** Pays for requests within its spending rules and one budget. */
export type Payer = {
  /**
   * Sends a request and pays when the gateway returns 402. Never rejects because of gateway, network or wallet.
   * Rejects when the journal fails before the payment was sent.
   */
  exchange(input: string | URL | Request, init?: RequestInit): Promise<Exchange>;
  /** The same, but leaves the events of a streamed 200 to the caller. */
  stream(input: string | URL | Request, init?: RequestInit): Promise<Exchange>;
  /** Sends a request once and never pays. */
  ask(input: string | URL | Request, init?: RequestInit): Promise<Exchange>;
  /** The sum of all signed authorizations, in the token's smallest unit. */
  amountSigned(): bigint;
};

/** Thrown by a paying `fetch` that got no response to a payment, which the gateway may still have settled. */
export class PaymentOutcomeUnknown extends Error {
  override readonly name = 'PaymentOutcomeUnknown';
  readonly authorization: PaymentAuthorization;
  constructor(authorization: PaymentAuthorization, lost: Lost) {
    const what = `the payment with nonce ${authorization.nonce} may have been settled, but its response was lost`;
    super(
      `${what} (${lost.message}). Send the same request through this fetch to send the same payment again.`,
      {
        cause: lost.cause,
      },
    );
    this.authorization = authorization;
  }
}

/** Turns an exchange into the result of `fetch`, which throws when there is no response. */
export function unwrapResponse(exchange: Exchange): Response {
  if (exchange.kind !== 'lost') return exchange.received.response;
  const { lost, payment } = exchange;
  throw payment.state === 'unsent' ? lost.cause : new PaymentOutcomeUnknown(payment.authorization, lost);
}

/** Throws for invalid rules. */
export function createPayer(options: PayerOptions): Payer {
  const { signer, rules, clock = systemClock, fetch = globalThis.fetch, onStep = () => undefined } = options;
  requireValidRules(rules);
  const ports: PresentPorts = {
    fetch,
    clock,
    onStep,
    timeoutMs: options.timeoutMs ?? attemptTimeoutMsDefault,
  };
  const journal = options.journal ?? createMemoryJournal();
  const presentAndKeep = createPresenter(ports, options.onExchange);

  async function pay(
    input: string | URL | Request,
    init: RequestInit | undefined,
    isStreamed: boolean,
  ): Promise<Exchange> {
    const read = translateRequest(await readRequest(input, init, isStreamed));
    if (!read.ok) return untranslatable(read.fault);
    const { request } = read;
    const { fingerprint } = request;
    const open = request.carriesPayment
      ? null
      : await takeOwn(journal, fingerprint, clock.nowSeconds(), () => signer.getAddress());
    if (open !== null) return presentAndKeep(request, open, 'maybe-charged');

    const asked = await askOnce(ports, request);
    if (asked.kind !== 'responded' || asked.received.response.status !== 402 || request.carriesPayment)
      return asked;
    const { received } = asked;
    const refuse = (refusal: Refusal, offer: PaymentRequirements | null): Exchange => {
      onStep({ step: 'refused', refusal, offer });
      return { kind: 'refused', received, refusal, offer };
    };

    const offered = readOffer(received.response.headers);
    if (!offered.ok) return refuse(offered.refusal, null);
    const { offer } = offered;
    onStep({ step: 'offered', offer });
    const broken = checkOffer(offer, request.url, rules);
    if (broken !== null) return refuse(broken, offer);
    const reserved = journal.reserve(BigInt(offer.maxAmountRequired), rules, clock.nowSeconds());
    if (!reserved.ok) return refuse(reserved.refusal, offer);

    const { entry } = reserved;
    const signed = await sign(signer, clock, offer);
    if (!signed.ok) {
      entry.end('unsent');
      return refuse(signed.refusal, offer);
    }
    const { payment } = signed;
    const { authorization, signaturePreview } = payment;
    onStep({ step: 'signed', authorization, signaturePreview });
    try {
      entry.record(fingerprint, payment);
    } catch (fault) {
      endEntry(entry, 'unsent', onStep);
      throw fault;
    }
    return presentAndKeep(request, { payment, entry }, 'unsent');
  }

  return {
    exchange: (input, init) => pay(input, init, false),
    stream: (input, init) => pay(input, init, true),
    async ask(input, init) {
      const read = translateRequest(await readRequest(input, init));
      return read.ok ? askOnce(ports, read.request) : untranslatable(read.fault);
    },
    amountSigned: journal.amountSigned,
  };
}

/** Presents payments. Keeps those that may get another response for the next call of the same request. */
function createPresenter(ports: PresentPorts, onExchange: PayerOptions['onExchange']) {
  const end = (entry: JournalEntry, as: PaymentEnd) => endEntry(entry, as, ports.onStep);
  return presentAndKeep;

  async function presentAndKeep(
    request: OutgoingRequest,
    { payment, entry }: OpenPayment,
    before: 'unsent' | 'maybe-charged',
    isRest = false,
  ): Promise<Exchange> {
    const presented = await present(ports, request, payment, before).catch((fault: unknown) => {
      // An `onStep` that throws must not lose the payment.
      end(entry, 'open');
      throw fault;
    });
    const { last, outcome, replayed, receiptFault } = presented;
    const events = last.ok ? last.received.events : null;
    // The payment of a stream is open until its end, also if the rest arrives unstreamed.
    if (events === null) end(entry, isRest ? 'open' : endOf(presented));
    if (!last.ok) return { kind: 'lost', lost: last.lost, payment: outcome };
    const { received } = last;
    const save = (whole: ReceivedResponse) => onExchange?.(saveExchange(request, payment.header, whole));
    if (received.response.ok && events === null) save(received);
    const stream: OpenStream | null = events && {
      request,
      events,
      again: () => presentAndKeep(request, { payment, entry }, 'maybe-charged', true),
      save(body, proof) {
        end(entry, 'closed');
        save(withBody(received, body, proof));
      },
      close: () => end(entry, 'closed'),
      keep: () => end(entry, 'open'),
    };
    return { kind: 'responded', received, payment: outcome, replayed, receiptFault, stream };
  }

  function endOf({ outcome, open }: Presented): PaymentEnd {
    if (outcome.state === 'unsent') return 'unsent';
    return open ? 'open' : 'closed';
  }
}

/** A journal that fails here must not lose the response, which is paid. */
function endEntry(entry: JournalEntry, as: PaymentEnd, onStep: PresentPorts['onStep']): void {
  try {
    entry.end(as);
  } catch (error) {
    onStep({ step: 'journal-fault', message: error instanceof Error ? error.message : String(error) });
  }
}

/** The response of a gateway to such a chat, made here: SDKs read its error and do not retry. */
function untranslatable({ message, param }: Untranslatable): Exchange {
  const { type } = errorTable.invalid_request;
  const body = JSON.stringify({ error: { message, type, code: 'invalid_request', param } });
  const headers = { 'Content-Type': 'application/json', [headerNames.shouldRetry]: 'false' };
  const response = new Response(body, { status: errorTable.invalid_request.status, headers });
  const received = { response, body, events: null, error: readGatewayError(body) };
  const unsent = { payment: { state: 'unsent' }, replayed: false, receiptFault: null } as const;
  return { kind: 'responded', received, ...unsent, stream: null };
}

async function askOnce(ports: PresentPorts, request: OutgoingRequest): Promise<Exchange> {
  const { fetch, timeoutMs, onStep } = ports;
  onStep({ step: 'requested', method: request.method, url: request.url.href });
  const sending = await send(fetch, request, null, timeoutMs);
  const payment: PaymentOutcome = { state: 'unsent' };
  if (!sending.ok) return { kind: 'lost', lost: sending.lost, payment };
  const { received } = sending;
  onStep({ step: 'responded', status: received.response.status });
  const again = () => askOnce(ports, request);
  const ends = { save: noop, close: noop, keep: noop };
  const stream = received.events && { request, events: received.events, again, ...ends };
  return { kind: 'responded', received, payment, replayed: false, receiptFault: null, stream };
}

function noop(): void {}

/** A streamed response with the body, and with the proof where an unstreamed one has it (D-267). */
function withBody(
  { response, ...received }: ReceivedResponse,
  body: string,
  proof: string | null,
): ReceivedResponse {
  const headers = new Headers(response.headers);
  if (proof !== null) headers.set(headerNames.inferenceProof, proof);
  const { status, statusText } = response;
  return { ...received, body, response: new Response(null, { status, statusText, headers }) };
}

/** Asks the wallet for a signature. A wallet that declines is a refusal with the wallet's own message. */
async function sign(
  signer: PaymentSigner,
  clock: Clock,
  offer: PaymentRequirements,
): Promise<{ ok: true; payment: SignedPayment } | { ok: false; refusal: Refusal }> {
  try {
    const from = await signer.getAddress();
    return { ok: true, payment: await signAuthorization(signer, from, offer, clock.nowSeconds()) };
  } catch (error) {
    const message = `the wallet did not sign: ${error instanceof Error ? error.message : 'no reason given'}`;
    return { ok: false, refusal: { reason: 'signer_failed', message } };
  }
}
