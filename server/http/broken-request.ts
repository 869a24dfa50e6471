import type { Duplex } from 'node:stream';
import { errorReply } from './reply.ts';

/** Answers what never became a request: bytes that are not HTTP, headers too large or too slow. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, body } = isTooLarge
    ? errorReply('request_too_large', 'The request headers are too large.')
    : errorReply('invalid_request', 'The request is not valid HTTP, or it arrived too slowly.');
  const text = JSON.stringify(body);
  const reason = isTooLarge ? 'Payload Too Large' : 'Bad Request';
  const head = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('\r\n')}\r\n\r\n${text}`);
}
