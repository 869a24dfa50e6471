import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/schema.ts';
import { answerBrokenRequest, answerConnect } from '../http/broken-request.ts';
import { capConnections } from '../http/connection-caps.ts';
import { type InTurn, inTurn } from '../http/in-turn.ts';
import { errorReply } from '../http/reply.ts';
import type { Log } from '../observe/log.ts';

/** A socket that is bound, before there is a gateway to answer on it. */
export type Listening = {
  readonly url: string;
  /** Answers with this from now on; until then every request is told to come again. */
  attach(listener: RequestListener): void;
  /** Takes no new connection, and waits for requests under way and for `idle`, within its time (D-198). */
  drain(idle: () => Promise<void>, timeoutMs: number, log: Log): Promise<void>;
};

/** Binds first: a port that is taken is found out before a chain is started or a store is touched. */
export async function listen(config: Config): Promise<Listening> {
  const server = createServer({
    headersTimeout: config.headersTimeoutMs,
    requestTimeout: config.headersTimeoutMs + config.bodyTimeoutMs,
    // Node looks for late headers only this often, every 30 seconds unless told otherwise.
    connectionsCheckingInterval: Math.min(config.headersTimeoutMs, 1_000),
    keepAliveTimeout: config.keepAliveTimeoutMs,
    // Ours, for the response that Node gives has no body.
    requireHostHeader: false,
    // Room for a payment header over its limit, which deserves an answer of ours.
    maxHeaderSize: 4 * config.paymentHeaderBytesMax,
  });
  // Node drops what is beyond, and a payment may be beyond: one more is enough to refuse the request.
  server.maxHeadersCount = config.headersMax + 1;
  let answer = answerStarting;
  const turns = inTurn((request, response) => answer(request, response), config);
  const { open, take, endWith, endLate } = turns;
  capConnections(server, config);
  server.on('connection', open);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, take);
  server.on('connect', (_request, socket) => {
    // Node has taken its own listener off, and an error without one ends the process (D-195).
    socket.on('error', () => socket.destroy());
    endWith(socket, () => answerConnect(socket));
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const end = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? endLate : endWith;
    end(socket, () => answerBrokenRequest(error, socket));
  });
  const url = await bind(server, config);
  return {
    url,
    attach(listener) {
      answer = listener;
    },
    drain: (idle, timeoutMs, log) => drain(server, turns, idle, timeoutMs, log),
  };
}

function bind(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: bound } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`);
    });
  });
}

const answerStarting: RequestListener = (_request, response) => {
  const { status, body } = errorReply('unavailable', 'The gateway is starting. Send the same request again.');
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1', Connection: 'close' });
  response.end(JSON.stringify(body));
};

async function drain(
  server: Server,
  turns: InTurn,
  idle: () => Promise<void>,
  timeoutMs: number,
  log: Log,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  turns.drain();
  const patience = AbortSignal.timeout(timeoutMs);
  const late = new Promise((resolve) => {
    patience.addEventListener('abort', () => resolve('late'), { once: true });
  });
  let isIdle = false;
  const work = idle().then(() => {
    isIdle = true;
  });
  const ended = await Promise.race([Promise.all([closed, work]), late]);
  if (ended === 'late' && (!isIdle || turns.hasWork()))
    log.warn({ timeoutMs }, 'work under way did not end in time; the store takes it up again');
  server.closeAllConnections();
}
