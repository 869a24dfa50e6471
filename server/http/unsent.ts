import type { Socket } from 'node:net';
import { clientSite } from './client-network.ts';
import { createSiteBytes } from './site-bytes.ts';

/** The bytes of responses that clients have not read yet, beyond the buffers of the system. */
export type Unsent = {
  /** Counts these bytes of a complete response. May end connections, of this or another site. */
  add(socket: Socket, bytes: number): void;
  /** Forgets the bytes of a connection. */
  remove(socket: Socket): void;
};

/**
 * Ends connections while all unread responses have more than `bytesMax`: the one that waits longest, of the site with
 * the most bytes (D-405). The client gets its completion with the same payment again.
 */
export function boundUnsent(bytesMax: number): Unsent {
  // A closed socket has no address any more, so its site is kept.
  const unsent = createSiteBytes<Socket>();
  return {
    add(socket, bytes) {
      unsent.set(socket, clientSite(socket.remoteAddress ?? ''), bytes);
      while (unsent.total > bytesMax) {
        const oldest = unsent.oldestOfLargest();
        if (oldest === undefined) return;
        unsent.remove(oldest);
        oldest.destroy();
      }
    },
    remove: unsent.remove,
  };
}
