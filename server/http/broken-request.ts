import type { Duplex } from 'node:stream';
import { errorReply, type FinishedReply } from './reply.ts';

/** How long a client has to close its side of an ended connection. */
const lingerMs = 1_000;

/** Responds to bytes that never became a request: invalid HTTP, or headers that are too large or too slow. */
export function respondToBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  // The response is out already. The rest of the broken request is still arriving.
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    respondOnSocket(
      socket,
      errorReply('request_too_large', 'The request headers are too large.'),
      'Payload Too Large',
    );
  } else {
    const message = 'The request is not valid HTTP, or it arrived too slowly.';
    respondOnSocket(socket, errorReply('invalid_request', message), 'Bad Request');
  }
  closeSoon(socket);
}

/** Responds to `CONNECT`, for which Node hands over the bare socket. */
export function respondToConnect(socket: Duplex): void {
  if (!socket.writable) return;
  const reply = errorReply('method_not_allowed', 'The gateway is no proxy; send GET or POST.');
  respondOnSocket(socket, { ...reply, headers: { Allow: 'GET, POST' } }, 'Method Not Allowed');
  closeSoon(socket);
}

/** Writes a reply directly to the socket, without Node's HTTP server, and ends the connection. */
export function respondOnSocket(
  socket: Duplex,
  { status, headers, body }: FinishedReply,
  reason: string,
): void {
  const text = JSON.stringify(body);
  const head = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Closes the socket after a pause, because some clients never close their side. */
function closeSoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
