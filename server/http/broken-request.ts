import type { Duplex } from 'node:stream';
import { errorReply, type FinishedReply } from './reply.ts';

/** How long a client has to close its side of a connection that is over. */
const lingerMs = 1_000;

/** Answers what never became a request: bytes that are not HTTP, headers too large or too slow. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  // Answered already; the rest of what was broken is still coming in.
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    answerSocket(
      socket,
      errorReply('request_too_large', 'The request headers are too large.'),
      'Payload Too Large',
    );
  } else {
    const message = 'The request is not valid HTTP, or it arrived too slowly.';
    answerSocket(socket, errorReply('invalid_request', message), 'Bad Request');
  }
  closeSoon(socket);
}

/** Answers `CONNECT`, for which Node hands over the bare connection. */
export function answerConnect(socket: Duplex): void {
  if (!socket.writable) return;
  const reply = errorReply('method_not_allowed', 'The gateway is no proxy; send GET or POST.');
  answerSocket(socket, { ...reply, headers: { Allow: 'GET, POST' } }, 'Method Not Allowed');
  closeSoon(socket);
}

/** Writes a reply past Node's HTTP server, as the last one of the connection. */
export function answerSocket(socket: Duplex, { status, headers, body }: FinishedReply, reason: string): void {
  const text = JSON.stringify(body);
  const head = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('\r\n')}\r\n\r\n${text}`);
}

/** A client that never closes its side would keep the connection open for good. */
function closeSoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
