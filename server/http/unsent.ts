import type { Socket } from 'node:net';
import { clientSite } from './client-network.ts';

/** The bytes of responses that clients have not read yet, beyond the buffers of the system. */
export type Unsent = {
  /** Counts these bytes of a complete response. May end connections, of this or another site. */
  add(socket: Socket, bytes: number): void;
  /** Forgets the bytes of a connection. */
  remove(socket: Socket): void;
};

type Site = { bytes: number; readonly sockets: Map<Socket, number> };

/**
 * Ends connections while all unread responses have more than `bytesMax`: the one that waits longest, of the site with
 * the most bytes (D-405). The client gets its completion with the same payment again.
 */
export function boundUnsent(bytesMax: number): Unsent {
  const sites = new Map<string, Site>();
  /** A closed socket has no address any more. */
  const siteOf = new Map<Socket, string>();
  let total = 0;

  return {
    add(socket, bytes) {
      const name = clientSite(socket.remoteAddress ?? '');
      const site = sites.get(name) ?? { bytes: 0, sockets: new Map() };
      sites.set(name, site);
      siteOf.set(socket, name);
      site.sockets.set(socket, bytes);
      site.bytes += bytes;
      total += bytes;
      while (total > bytesMax) endOldest();
    },
    remove,
  };

  function remove(socket: Socket): void {
    const name = siteOf.get(socket);
    const site = name === undefined ? undefined : sites.get(name);
    if (name === undefined || site === undefined) return;
    const bytes = site.sockets.get(socket) ?? 0;
    site.bytes -= bytes;
    total -= bytes;
    site.sockets.delete(socket);
    siteOf.delete(socket);
    if (site.sockets.size === 0) sites.delete(name);
  }

  function endOldest(): void {
    let largest: Site | undefined;
    for (const site of sites.values()) if (site.bytes > (largest?.bytes ?? 0)) largest = site;
    const [oldest] = largest?.sockets.keys() ?? [];
    if (oldest === undefined) return;
    remove(oldest);
    oldest.destroy();
  }
}
