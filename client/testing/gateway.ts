import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { ErrorCode } from '@paid-inference/contract/errors';
import { encodePaymentReceipt, encodePaymentRequirements } from '@paid-inference/contract/headers';
import type { PaymentReceipt, PaymentRequirements } from '@paid-inference/contract/types';
import { catalog, completionFor, envelope, streamedEvents } from './completions.ts';
import { createStore, type Store } from './store.ts';

/** A received request. */
type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The value of `X-PAYMENT`; null without the header. */
  readonly payment: string | null;
  readonly settlementType: string | null;
  readonly body: string;
};

/** The treatment of a paid request. */
type Fate =
  | { readonly fate: 'serve' }
  /** Settles the payment, then breaks the connection before the response. */
  | { readonly fate: 'lose-response' }
  /** Settles the payment, then breaks the connection inside the body. */
  | { readonly fate: 'lose-half' }
  /** Settles the payment, then breaks its stream behind some events, or adds an event there. */
  | { readonly fate: 'break-stream'; readonly after: number; readonly with?: string }
  /** Settles the payment, and sends some events of its stream. The others follow when the promise resolves. */
  | { readonly fate: 'hold-stream'; readonly after: number; readonly until: Promise<unknown> }
  | { readonly fate: 'hang' }
  | {
      readonly fate: 'respond';
      readonly status: number;
      readonly code?: ErrorCode;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    };

/** A response, and how much of it the gateway sends. */
type Reply =
  | {
      readonly ending: 'whole' | 'half';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: string;
      /** How much of the body `half` sends. */
      readonly half?: number;
      /** The rest of the body, and when to send it. */
      readonly held?: { readonly rest: string; readonly until: Promise<unknown> };
    }
  | { readonly ending: 'broken' }
  | { readonly ending: 'never' };

/** The settings of a test gateway, read when a request arrives. */
type Settings = {
  offer: Partial<PaymentRequirements>;
  /** Replaces the encoded offer; null sends a 402 without the header. */
  offerHeader?: string | null;
  receipt: Partial<PaymentReceipt>;
  receiptHeader?: string | null;
  /** Replaces the 402 response to an unpaid request. */
  unpaid?: (request: Received) => Reply;
  completion?: string;
  /** Whether the gateway streams when a request asks for it. */
  streams: boolean;
};

export type TestGateway = {
  readonly url: string;
  readonly received: readonly Received[];
  /** The requests with a payment. */
  paid(): Received[];
  readonly store: Store;
  readonly settings: Settings;
  /** Applies these to the next paid requests in turn. Later paid requests are served. */
  fates(...fates: Fate[]): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export const testToken = '0x2222222222222222222222222222222222222222';
export const testRecipient = '0x1111111111111111111111111111111111111111';

/**
 * A small gateway over plain HTTP that keeps the contract's payment rules: it verifies each signature, accepts
 * each authorization once, and replays the stored completion for the same payment and request (D-17 to D-20).
 */
export async function startTestGateway(nowSeconds: () => number): Promise<TestGateway> {
  const received: Received[] = [];
  const upcoming: Fate[] = [];
  const settings: Settings = { offer: {}, receipt: {}, streams: false };
  const store = createStore(nowSeconds);

  function respond(request: Received): Reply {
    if (request.method === 'GET') return respondWithCatalog(request);
    if (request.payment === null)
      return settings.unpaid?.(request) ?? requirePayment(request, 'payment required');
    const next = upcoming.shift() ?? { fate: 'serve' };
    if (next.fate === 'hang') return { ending: 'never' };
    if (next.fate === 'respond') {
      return reply(next.status, next.body ?? envelope(next.code), next.headers);
    }
    const taken = store.take(request.payment, offerFor(request), request.path + request.body);
    if (taken.kind === 'unsigned') return reply(401, envelope('invalid_signature'));
    if (taken.kind === 'refused') return requirePayment(request, taken.reason);
    if (next.fate === 'lose-response') return { ending: 'broken' };
    const body = settings.completion ?? completionFor(request.path, request.body);
    const proof = settings.receiptHeader ?? encodePaymentReceipt({ ...taken.receipt, ...settings.receipt });
    const headers = {
      ...(settings.receiptHeader === null ? {} : { [headerNames.paymentResponse]: proof }),
      ...(taken.kind === 'replayed' ? { [headerNames.idempotentReplayed]: 'true' } : {}),
      [headerNames.requestId]: 'request-1',
    };
    if (settings.streams && JSON.parse(request.body).stream === true) {
      const events = streamedEvents(JSON.parse(body));
      const sent = next.fate === 'break-stream' ? [...events.slice(0, next.after), next.with ?? ''] : events;
      const type = { 'content-type': 'text/event-stream' };
      if (next.fate === 'hold-stream') {
        const [begun, rest] = [events.slice(0, next.after).join(''), events.slice(next.after).join('')];
        return { ...reply(200, begun, { ...headers, ...type }), held: { rest, until: next.until } };
      }
      const ending = next.fate === 'serve' ? ('whole' as const) : ('half' as const);
      return {
        ...reply(200, sent.join(''), { ...headers, ...type }),
        ending,
        half: Number.POSITIVE_INFINITY,
      };
    }
    return { ...reply(200, body, headers), ending: next.fate === 'serve' ? 'whole' : 'half' };
  }

  function requirePayment(request: Received, error: string): Reply {
    const { offerHeader = encodePaymentRequirements(offerFor(request)) } = settings;
    const headers = offerHeader === null ? {} : { [headerNames.paymentRequired]: offerHeader };
    return reply(402, JSON.stringify({ x402Version: 1, error, accepts: [] }), headers);
  }

  function offerFor(request: Received): PaymentRequirements {
    return {
      scheme: 'exact',
      network: 'eip155:84532',
      maxAmountRequired: '10000',
      resource: url + request.path,
      description: 'A test completion',
      mimeType: 'application/json',
      payTo: testRecipient,
      maxTimeoutSeconds: 300,
      asset: testToken,
      extra: { name: 'Test Payment Token', version: '1' },
      ...settings.offer,
    };
  }

  const server = createServer((incoming, response) => {
    read(incoming)
      .then((request) => {
        received.push(request);
        write(respond(request), response);
      })
      // An interrupted client may have closed the connection.
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const url = `http://127.0.0.1:${address.port}`;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return {
    url,
    received,
    paid: () => received.filter(({ payment }) => payment !== null),
    store,
    settings,
    fates: (...fates) => void upcoming.push(...fates),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function respondWithCatalog({ path }: Received): Reply {
  const { path: list } = endpoints.listModels;
  if (path === list) return reply(200, JSON.stringify(catalog));
  const model = catalog.data.find(({ id }) => path === `${list}/${encodeURIComponent(id)}`);
  return model === undefined ? reply(404, envelope('not_found')) : reply(200, JSON.stringify(model));
}

export function reply(status: number, body: string, headers: Record<string, string> = {}) {
  return { ending: 'whole' as const, status, body, headers };
}

function write(reply: Reply, response: ServerResponse): void {
  if (reply.ending === 'never') return;
  if (reply.ending === 'broken') {
    response.destroy();
    return;
  }
  const { status, headers, body, ending } = reply;
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const isStream = headers['content-type'] === 'text/event-stream';
  response.writeHead(status, { 'content-type': 'application/json', ...(!isStream && length), ...headers });
  if (reply.held !== undefined) {
    const { rest, until } = reply.held;
    response.write(body);
    until.then(() => response.end(rest));
  } else if (ending === 'whole') response.end(body);
  else response.write(body.slice(0, reply.half ?? 10), () => setTimeout(() => response.destroy(), 20));
}

async function read(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const header = (name: string) => incoming.headers[name.toLowerCase()]?.toString() ?? null;
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    payment: header(headerNames.payment),
    settlementType: header(headerNames.settlementType),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
