import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';
import { type Listening, listenOnLoopback } from '../testing/fake-target.ts';
import type { Asked, Reply } from './message.ts';
import { createPaymentForge, type PaymentForge } from './payment-forge.ts';
import type { OpenTarget, Target } from './target.ts';
import { headerNamed, withoutHeader } from './wire-edits.ts';

/**
 * Changes of a gateway's behaviour, made by a proxy before it. To simulate a gateway that skips a rule or
 * accepts an invalid payment, `read` replaces the request by a valid one. `respond` and `send` get the request
 * as the client sent it.
 */
export type Edge = {
  readonly read?: (asked: Asked, forge: PaymentForge) => Asked | Promise<Asked>;
  readonly respond?: (reply: Reply, asked: Asked, forge: PaymentForge) => Reply | Promise<Reply>;
  /** Writes the response to the client. */
  readonly send?: (response: ServerResponse, reply: Reply, asked: Asked) => void;
};

export type OpenEdge = Listening & {
  readonly payerKey: string;
  /** Errors within the edge itself. A run with such an error does not count. */
  readonly faults: readonly string[];
};

/**
 * Opens an edge before a new gateway of the target, which runs unchanged. Every request passes through both.
 */
export async function openEdge({ read, respond, send = write }: Edge, target: Target): Promise<OpenEdge> {
  const faults: string[] = [];
  let inner: OpenTarget | undefined;
  let forge: PaymentForge | undefined;
  const received = createReceiver();
  const withoutStaleOffer = createOfferPairs();
  const outer = await listenOnLoopback(async (request, response) => {
    try {
      if (!inner || !forge) throw new Error('A request arrived before the gateway was open.');
      const asked = await received(request, response);
      const toRead = read ? await read(asked, forge) : asked;
      const reply = await inner.ask(toRead);
      const changed = respond ? await respond(reply, asked, forge) : reply;
      send(response, withoutStaleOffer(reply, changed), asked);
    } catch (error) {
      faults.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      response.destroy();
    }
  });
  try {
    const gateway = await target.open(outer.url);
    inner = gateway;
    forge = createPaymentForge(gateway.payerKey, (asked) => gateway.ask(asked));
  } catch (error) {
    await outer[Symbol.asyncDispose]();
    throw error;
  }
  const opened = inner;
  return {
    url: outer.url,
    payerKey: opened.payerKey,
    faults,
    async [Symbol.asyncDispose]() {
      await outer[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/**
 * Removes the gateway's offer of x402 v2 from responses whose other offer the edge has changed: the two would differ, which
 * is another fault (D-354). An edge may also send an earlier response of the gateway again.
 */
function createOfferPairs() {
  const pairs = new Map<string, string | undefined>();
  const offersIn = ({ headers }: Reply) =>
    [headerNames.paymentRequired, headerNames.paymentRequiredV2].map((name) => headerNamed(headers, name));
  return (before: Reply, after: Reply): Reply => {
    const [own, version2] = offersIn(before);
    if (version2 !== undefined) pairs.set(version2, own);
    const [sent, sentVersion2 = ''] = offersIn(after);
    const isStale = pairs.has(sentVersion2) && pairs.get(sentVersion2) !== sent;
    return isStale ? withoutHeader(after, headerNames.paymentRequiredV2) : after;
  };
}

function write(response: ServerResponse, { status, headers, text }: Reply): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** Reads requests, and counts the requests of each connection and the requests in progress. */
function createReceiver() {
  const onConnection = new WeakMap<object, number>();
  let underWay = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<Asked> => {
    const before = onConnection.get(request.socket) ?? 0;
    onConnection.set(request.socket, before + 1);
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    return {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
      ),
      names: request.rawHeaders.filter((_, index) => index % 2 === 0),
      text: Buffer.concat(parts).toString('utf8'),
      hasWholeLetters: parts.every((part) => isUtf8(part)),
      connection: request.socket,
      before,
      beside: underWay - 1,
    };
  };
}
