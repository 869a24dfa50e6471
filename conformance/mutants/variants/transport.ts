import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Edge } from '../edge.ts';
import type { Reply } from '../message.ts';
import { refusingEachSecond, refusingNewTerms, refusingOnce } from '../refusing-once.ts';
import { findEndpoint, isPaid } from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

const slowMs = 1_500;

function inPieces(response: ServerResponse, { status, headers, text }: Reply, pieces: number): void {
  response.writeHead(status, headers);
  const length = Math.ceil(text.length / pieces) || 1;
  for (let start = 0; start < text.length; start += length) response.write(text.slice(start, start + length));
  response.end();
}

/** Responds with HTTP/1.0, without a length: the end of the connection ends the body. */
function asHttp10({ socket }: ServerResponse, { status, headers, text }: Reply): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket?.end(`HTTP/1.0 ${status} Whatever\r\n${lines.join('')}\r\n${text}`);
}

/** Compresses each response with the next content coding. */
function compressing(): Edge {
  const codings = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const;
  let sent = 0;
  return {
    respond: marked,
    send: (response, { status, headers, text }) => {
      const [coding, compress] = codings[sent % codings.length] ?? codings[0];
      sent += 1;
      const bytes = compress(text);
      response
        .writeHead(status, { ...headers, 'Content-Encoding': coding, 'Content-Length': bytes.length })
        .end(bytes);
    },
  };
}

/** Legal variants of the transport of responses. */
export const transportVariants: readonly LegalVariant[] = [
  variant('chunked', 'sends bodies with chunked transfer coding', open.anyClient, {
    respond: (reply) => ({ ...reply, headers: { ...reply.headers, 'Transfer-Encoding': 'chunked' } }),
    send: (response, reply) => inPieces(response, reply, 7),
  }),
  {
    ...variant('compressed', 'compresses every response, whatever the request accepts', open.anyClient, {}),
    edge: compressing,
  },
  variant('connections-closed', 'closes the connection after each response', open.anyClient, {
    respond: (reply) => marked({ ...reply, headers: { ...reply.headers, Connection: 'close' } }),
  }),
  variant(
    'idle-connections-closed',
    'closes each connection without notice after its response',
    open.anyClient,
    {
      respond: marked,
      send: (response, { status, headers, text }) => {
        const { socket } = response;
        const length = { 'Content-Length': Buffer.byteLength(text) };
        response
          .writeHead(status, { ...headers, ...length })
          .end(text, () => setImmediate(() => socket?.end()));
      },
    },
  ),
  variant(
    'connections-reset-after-refusals',
    'resets the connection after a 404, 405 or 415, because it does not read the body',
    open.anyClient,
    {
      respond: (reply) => ([404, 405, 415].includes(reply.status) ? marked(reply) : reply),
      send: (response, { status, headers, text }) => {
        const { socket } = response;
        const isReset = [404, 405, 415].includes(status);
        const length = { 'Content-Length': Buffer.byteLength(text) };
        response.writeHead(status, { ...headers, ...length });
        response.end(text, () => isReset && setTimeout(() => socket?.resetAndDestroy(), 1));
      },
    },
  ),
  variant('http-1.0', 'responds with HTTP/1.0', open.anyClient, {
    send: asHttp10,
  }),
  variant('early-hints', 'sends a 103 response before each response', open.anyClient, {
    respond: marked,
    send: (response, { status, headers, text }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(status, headers).end(text);
    },
  }),
  {
    ...variant('slow', 'delays its first paid response by 1.5 s', open.anyClient, {}),
    edge: () => {
      let isFirst = true;
      return {
        respond: marked,
        send: (response, reply, asked) => {
          const isSlow =
            isFirst && isPaid(asked) && findEndpoint(asked) !== undefined && reply.status === 200;
          if (isSlow) isFirst = false;
          setTimeout(() => inPieces(response, reply, 3), isSlow ? slowMs : 0);
        },
      };
    },
  },
  {
    ...variant('busy-once', 'returns 429 once, with `Retry-After: 0`', open.rateLimit, {}),
    edge: () => refusingOnce(),
  },
  {
    ...variant(
      'new-terms-slowed',
      'returns 429 without `Retry-After` for payments to new recipients, and of new amounts',
      open.rateLimit,
      {},
    ),
    edge: refusingNewTerms,
    hides: 'the suite sends few payments again that got 429',
  },
  {
    ...variant(
      'bad-payments-slowed',
      'returns 429 with `Retry-After` for each second request with no payment in X-PAYMENT, or with an invalid body',
      open.rateLimit,
      {},
    ),
    edge: refusingEachSecond,
  },
];
