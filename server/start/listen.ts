import type { RequestListener } from 'node:http';
import type { Config } from '../config/schema.ts';
import { respondToBrokenRequest, respondToConnect } from '../http/broken-request.ts';
import { capConnections } from '../http/connection-caps.ts';
import { type InTurn, inTurn } from '../http/in-turn.ts';
import { errorReply } from '../http/reply.ts';
import type { Log } from '../observe/log.ts';
import { bind } from './bind.ts';
import { fitConnections, readOpenFilesMax } from './open-files.ts';

/** An `import` would read every export, and one of them makes Node load an HTTP client (D-254). */
const { createServer } = process.getBuiltinModule('node:http');

/** A bound socket, before its gateway exists. */
export type Listening = {
  readonly url: string;
  /** Serves requests with `listener` from now on. Before, every request gets 503 with Retry-After. */
  attach(listener: RequestListener): void;
  /**
   * Accepts no more connections, and waits for requests in progress and for `idle`, up to `timeoutMs` (D-198).
   */
  drain(idle: () => Promise<void>, timeoutMs: number, log: Log): Promise<void>;
};

/** Binds before a chain or a store is opened, so that a port in use is found first. */
export async function listen(config: Config): Promise<Listening> {
  const server = createServer({
    headersTimeout: config.headersTimeoutMs,
    requestTimeout: config.headersTimeoutMs + config.bodyTimeoutMs,
    // Node checks for late headers at this interval; its default is 30 seconds.
    connectionsCheckingInterval: Math.min(config.headersTimeoutMs, 1_000),
    keepAliveTimeout: config.keepAliveTimeoutMs,
    // The gateway checks the Host header itself, because Node's response has no body.
    requireHostHeader: false,
    // Large enough for a payment header above its limit, which gets an error response of the gateway.
    maxHeaderSize: 4 * config.paymentHeaderBytesMax,
  });
  // Node drops headers above this count, and one of them may be the payment. One more than the limit suffices
  // to refuse the request.
  server.maxHeadersCount = config.headersMax + 1;
  let respond = respondStarting;
  const turns = inTurn((request, response) => respond(request, response), config);
  const { open, take, endWith, endLate, stageOf } = turns;
  const connectionsMax = fitConnections(config.connectionsMax, readOpenFilesMax());
  capConnections(server, { ...config, connectionsMax }, stageOf);
  server.on('connection', open);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, take);
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener, and an unhandled socket error would end the process (D-195).
    socket.on('error', () => socket.destroy());
    endWith(socket, () => respondToConnect(socket));
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const end = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? endLate : endWith;
    end(socket, () => respondToBrokenRequest(error, socket));
  });
  const bound = await bind(server, config, connectionsMax);
  return {
    url: bound.url,
    attach(listener) {
      respond = listener;
    },
    drain: async (idle, timeoutMs, log) => {
      await drain(bound.close(), turns, idle, timeoutMs, log);
      server.closeAllConnections();
    },
  };
}

const respondStarting: RequestListener = (_request, response) => {
  const { status, body } = errorReply('unavailable', 'The gateway is starting. Send the same request again.');
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1', Connection: 'close' });
  response.end(JSON.stringify(body));
};

async function drain(
  closed: Promise<void>,
  turns: InTurn,
  idle: () => Promise<void>,
  timeoutMs: number,
  log: Log,
): Promise<void> {
  turns.drain();
  const timeout = AbortSignal.timeout(timeoutMs);
  const late = new Promise((resolve) => {
    timeout.addEventListener('abort', () => resolve('late'), { once: true });
  });
  let isIdle = false;
  const work = idle().then(() => {
    isIdle = true;
  });
  const ended = await Promise.race([Promise.all([closed, work]), late]);
  if (ended === 'late' && (!isIdle || turns.hasWork()))
    log.warn(
      { timeoutMs },
      'requests in progress did not end before the shutdown timeout; the store keeps their payments',
    );
}
