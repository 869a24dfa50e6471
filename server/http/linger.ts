import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends the connection in stages (RFC 9112 9.6, D-417) when the last response came before the body of its request. Node
 * closes the connection right after the response. If bytes of the body arrive then, the kernel resets the connection,
 * and a client that has not read yet loses the response. So the gateway closes its own side, and reads and discards
 * the body, for `lingerMs` at most. `findUnread` returns the request whose body has not arrived.
 */
export function lingerOnClose(
  socket: Socket,
  findUnread: () => IncomingMessage | null,
  lingerMs: number,
): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const unread = findUnread();
    if (unread === null || socket.writableEnded) return destroySoon();
    socket.end();
    unread.once('end', destroySoon).resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
