import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { respondOnSocket } from './broken-request.ts';
import { clientNetwork, clientSite } from './client-network.ts';
import type { Stage } from './in-turn.ts';
import { errorReply } from './reply.ts';

export type ConnectionCaps = {
  readonly connectionsMax: number;
  /** For one client; null for no limit. */
  readonly addressConnectionsMax: number | null;
  /**
   * Behind a proxy all connections come from the proxy, so a cap for one address would apply to all clients
   * together.
   */
  readonly trustedProxies: number;
};

/** A site may have this part of the places that the other sites leave, so that a few sites never take all of them. */
const ofRest = 1 / 2;
/** A site may always have this many, while there are places. */
const ofSiteMin = 4;

/**
 * Refuses connections beyond the cap of one client (D-132). At the cap of the gateway, and beyond the part of a site, a new
 * connection gets the place of one of the site with the most connections (D-224): an idle one, else one whose request waits
 * for its turn (D-419), else one whose client does not read (D-400).
 */
export function capConnections(
  server: Server,
  caps: ConnectionCaps,
  stageOf: (socket: Socket) => Stage,
): void {
  const ofNetworks = createGroups();
  const ofSites = createGroups();
  /** The connections that count. A closed socket has no address any more. */
  const places = new Map<Socket, { readonly network: string; readonly site: string }>();
  const ofOneMax = caps.trustedProxies > 0 ? null : caps.addressConnectionsMax;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const [network, site] = [clientNetwork(address), clientSite(address)];
    const ofOne = ofNetworks.count(network);
    if (ofOneMax !== null && ofOne >= ofOneMax) {
      const message = `Your address has ${ofOne} connections, its maximum; close some.`;
      return refuse(
        socket,
        errorReply('rate_limited', message, { retryAfterSeconds: 1 }),
        'Too Many Requests',
      );
    }
    if (!hasRoom(site) && !makeRoom(site)) {
      const message = `The gateway has ${places.size} connections, and no place for another one of yours; connect again later.`;
      return refuse(
        socket,
        errorReply('overloaded', message, { retryAfterSeconds: 1 }),
        'Service Unavailable',
      );
    }
    places.set(socket, { network, site });
    ofNetworks.add(network, socket);
    ofSites.add(site, socket);
    socket.once('close', () => leave(socket));
  });

  /** Whether a site may have one more connection. Those with a request in progress make no room for others later (D-458). */
  function hasRoom(site: string): boolean {
    if (places.size >= caps.connectionsMax) return false;
    const own = ofSites.count(site);
    const rest = caps.connectionsMax - (places.size - own);
    return ofOneMax === null || own < Math.max(ofSiteMin, rest * ofRest);
  }

  /** Closes the oldest such connection of the site with the most. False if the site of the new one has as many. */
  function makeRoom(site: string): boolean {
    const largest = ofSites.largest();
    if (largest.size <= ofSites.count(site) + 1) return false;
    const socket = findAt('idle', largest) ?? findAt('waiting', largest) ?? findAt('unread', largest);
    if (socket === undefined) return false;
    leave(socket);
    socket.destroy();
    return true;
  }

  function findAt(stage: Stage, sockets: ReadonlySet<Socket>): Socket | undefined {
    for (const socket of sockets) if (stageOf(socket) === stage) return socket;
    return undefined;
  }

  function leave(socket: Socket): void {
    const place = places.get(socket);
    // A connection that made room has left already.
    if (place === undefined) return;
    places.delete(socket);
    ofNetworks.remove(place.network, socket);
    ofSites.remove(place.site, socket);
  }
}

type Groups = {
  count(name: string): number;
  add(name: string, socket: Socket): void;
  remove(name: string, socket: Socket): void;
  /** The sockets are in the order of their arrival. */
  largest(): ReadonlySet<Socket>;
};

function createGroups(): Groups {
  const groups = new Map<string, Set<Socket>>();
  return {
    count: (name) => groups.get(name)?.size ?? 0,
    add(name, socket) {
      groups.set(name, (groups.get(name) ?? new Set()).add(socket));
    },
    remove(name, socket) {
      const group = groups.get(name);
      group?.delete(socket);
      if (group?.size === 0) groups.delete(name);
    },
    largest() {
      let found: ReadonlySet<Socket> = new Set();
      for (const sockets of groups.values()) if (sockets.size > found.size) found = sockets;
      return found;
    },
  };
}

/** Sends the reason and closes, even if the client does not read. */
function refuse(socket: Socket, reply: Parameters<typeof respondOnSocket>[1], reason: string): void {
  respondOnSocket(socket, reply, reason);
  socket.destroySoon();
}
