import type { IncomingMessage } from 'node:http';

/**
 * Requests whose whole body waits for its turn (D-173). The gateway has not looked at their payments yet, so a full gateway
 * may end their connections for the clients of other sites (D-419).
 */
export const waitingRequests = new WeakSet<IncomingMessage>();
