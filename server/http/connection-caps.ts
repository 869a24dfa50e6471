import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerSocket } from './broken-request.ts';
import { clientNetwork } from './client-network.ts';
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

/** Refuses connections beyond the cap of the gateway and beyond the cap of one client (D-132). */
export function capConnections(server: Server, caps: ConnectionCaps): void {
  const open = new Map<string, number>();
  const ofOneMax = caps.trustedProxies > 0 ? null : caps.addressConnectionsMax;
  let all = 0;

  server.on('connection', (socket: Socket) => {
    const network = clientNetwork(socket.remoteAddress ?? '');
    const ofOne = open.get(network) ?? 0;
    if (all >= caps.connectionsMax) {
      const message = `The gateway has ${all} connections, its maximum; connect again later.`;
      return refuse(
        socket,
        errorReply('overloaded', message, { retryAfterSeconds: 1 }),
        'Service Unavailable',
      );
    }
    if (ofOneMax !== null && ofOne >= ofOneMax) {
      const message = `Your address has ${ofOne} connections, its maximum; close some.`;
      return refuse(
        socket,
        errorReply('rate_limited', message, { retryAfterSeconds: 1 }),
        'Too Many Requests',
      );
    }
    all++;
    open.set(network, ofOne + 1);
    socket.once('close', () => {
      all--;
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/** Sends the reason and closes, even if the client does not read. */
function refuse(socket: Socket, reply: Parameters<typeof answerSocket>[1], reason: string): void {
  answerSocket(socket, reply, reason);
  socket.destroySoon();
}
