import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Edge } from '../edge.ts';
import type { Reply } from '../message.ts';
import { refusingOnce } from '../refusing-once.ts';
import { endpointOf, isPaid } from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

const slowMs = 1_500;

function inPieces(response: ServerResponse, { status, headers, text }: Reply, pieces: number): void {
  response.writeHead(status, headers);
  const length = Math.ceil(text.length / pieces) || 1;
  for (let start = 0; start < text.length; start += length) response.write(text.slice(start, start + length));
  response.end();
}

/** As HTTP/1.0 has it: no length, the end of the connection is the end of the body. */
function asHttp10({ socket }: ServerResponse, { status, headers, text }: Reply): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket?.end(`HTTP/1.0 ${status} Whatever\r\n${lines.join('')}\r\n${text}`);
}

/** Each answer in another coding. */
function compressing(): Edge {
  const codings = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const;
  let sent = 0;
  return {
    answer: marked,
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

/** How answers travel. */
export const transportVariants: readonly LegalVariant[] = [
  variant('chunked', 'sends bodies in chunks of unknown number', open.anyClient, {
    answer: (reply) => ({ ...reply, headers: { ...reply.headers, 'Transfer-Encoding': 'chunked' } }),
    send: (response, reply) => inPieces(response, reply, 7),
  }),
  { ...variant('compressed', 'compresses whatever was asked for', open.anyClient, {}), edge: compressing },
  variant('connections-closed', 'closes the connection after each answer', open.anyClient, {
    answer: (reply) => marked({ ...reply, headers: { ...reply.headers, Connection: 'close' } }),
  }),
  variant('http-1.0', 'answers as HTTP/1.0', open.anyClient, {
    send: asHttp10,
  }),
  variant('early-hints', 'sends informational answers first', open.anyClient, {
    answer: marked,
    send: (response, { status, headers, text }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(status, headers).end(text);
    },
  }),
  {
    ...variant('slow', 'takes its time for a paid answer', open.anyClient, {}),
    edge: () => {
      let isFirst = true;
      return {
        answer: marked,
        send: (response, reply, asked) => {
          const isSlow = isFirst && isPaid(asked) && endpointOf(asked) !== undefined && reply.status === 200;
          if (isSlow) isFirst = false;
          setTimeout(() => inPieces(response, reply, 3), isSlow ? slowMs : 0);
        },
      };
    },
  },
  {
    ...variant('busy-once', 'asks for patience once', open.rateLimit, {}),
    edge: () => refusingOnce(),
  },
];
