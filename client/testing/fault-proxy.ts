import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { headerNames } from '@paid-inference/contract/constants';

/** A status that the proxy sends, no response at all, or a reset connection. */
type Fault = '503' | '500' | 'timeout' | 'reset';

/**
 * `before`: the payment does not reach the gateway. `during`: the gateway got the payment, and the proxy left before
 * the response. `after`: the proxy read the whole response.
 */
type Moment = 'before' | 'during' | 'after';

export type Strike = { readonly fault: Fault; readonly moment: Moment };

/** Sends a stream up to the first event for which `isBefore` is true. Then the stream ends, or its connection does. */
export type StreamBreak = {
  readonly fault: 'cut' | 'end';
  readonly isBefore: (event: string, index: number) => boolean;
};

/** A proxy in front of a gateway that injects one fault, into the first request with a payment. */
export type FaultProxy = {
  readonly url: string;
  /** The authorizations that the client sent: value by nonce. */
  readonly authorizations: ReadonlyMap<string, bigint>;
  /** The number of requests with a payment. */
  presented(): number;
  /** Resolves when the fault was injected, or without a fault when the first payment got a response. */
  readonly struck: Promise<void>;
  close(): Promise<void>;
};

/** How long the proxy waits for the gateway before it leaves `during` the settlement. */
const duringMs = 1_500;

export async function startFaultProxy(
  gatewayUrl: string,
  strike: Strike | StreamBreak | null,
): Promise<FaultProxy> {
  const authorizations = new Map<string, bigint>();
  const struck = Promise.withResolvers<void>();
  let presented = 0;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const payment = readPayment(incoming.headers);
    const isFirst = payment !== null && authorizations.size === 0;
    if (payment !== null) {
      presented += 1;
      authorizations.set(payment.nonce, payment.value);
    }
    const left = new AbortController();
    outgoing.once('close', () => left.abort());
    const forward = (signal: AbortSignal) => send(gatewayUrl, incoming, body, signal);
    try {
      if (strike === null || !isFirst) await relay(await forward(left.signal), outgoing);
      else if ('isBefore' in strike) await breakStream(await forward(left.signal), strike, outgoing);
      else {
        if (strike.moment === 'during') await forward(AbortSignal.timeout(duringMs)).catch(() => undefined);
        if (strike.moment === 'after') await (await forward(left.signal)).arrayBuffer();
        inject(strike.fault, incoming, outgoing);
      }
    } finally {
      if (isFirst) struck.resolve();
    }
  }

  const server = createServer((incoming, outgoing) => {
    // A client that leaves ends the exchange with the gateway too.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    authorizations,
    presented: () => presented,
    struck: struck.promise,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a request to the gateway, without the headers of the client's connection. */
function send(
  gatewayUrl: string,
  { method = 'GET', url = '', headers }: IncomingMessage,
  body: Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...rest } = headers;
  const sent = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]);
  return fetch(gatewayUrl + url, { method, headers: sent, signal, ...(method === 'POST' && { body }) });
}

async function relay(response: Response, outgoing: ServerResponse): Promise<void> {
  const headers = { ...Object.fromEntries(response.headers), connection: 'close' };
  outgoing.writeHead(response.status, headers).end(Buffer.from(await response.arrayBuffer()));
}

async function breakStream(
  { status, headers, body }: Response,
  { fault, isBefore }: StreamBreak,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.writeHead(status, { ...Object.fromEntries(headers), connection: 'close' });
  let [unread, index] = ['', 0];
  reading: for await (const bytes of body ?? []) {
    const events = (unread + Buffer.from(bytes).toString('utf8')).split('\n\n');
    unread = events.pop() ?? '';
    for (const event of events) {
      if (isBefore(event, index++)) break reading;
      await new Promise((resolve) => outgoing.write(`${event}\n\n`, resolve));
    }
  }
  if (fault === 'end') outgoing.end();
  else outgoing.destroy();
}

function inject(fault: Fault, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (fault === 'reset') incoming.socket.resetAndDestroy();
  else if (fault !== 'timeout')
    outgoing.writeHead(Number(fault), { 'content-type': 'text/plain' }).end('fault');
}

/** Reads the payment of either dialect, which have the authorization at the same place. */
function readPayment(
  headers: IncomingHttpHeaders,
): { readonly nonce: string; readonly value: bigint } | null {
  const text =
    headers[headerNames.payment.toLowerCase()] ?? headers[headerNames.paymentSignature.toLowerCase()];
  if (typeof text !== 'string') return null;
  const { payload } = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  return { nonce: payload.authorization.nonce, value: BigInt(payload.authorization.value) };
}
