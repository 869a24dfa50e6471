import { connect, type Socket } from 'node:net';
import { responseLength } from './response-length.ts';
import { median, percentile } from './statistics.ts';

export type LoadOptions = {
  /** The connections take the URLs in turn. */
  readonly urls: readonly string[];
  /** Connections, each with one request at a time. */
  readonly atOnce: number;
  /** Ends the load after this time. */
  readonly seconds: number;
  /** The bytes of the next request; null ends the connection. */
  readonly next: () => Buffer | null;
  readonly status: number;
};

export type Load = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
};

/** The longest time without a byte from the server. */
const silenceMsMax = 30_000;

/**
 * Sends requests over raw keep-alive connections, so that the client costs less processor time than the servers
 * under test. Throws after a response with another status, because a fast refusal is no figure.
 */
export async function load(options: LoadOptions): Promise<Load> {
  const { atOnce, seconds } = options;
  const timesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  const isOver = () => performance.now() >= endsAt;
  const connections = Array.from({ length: atOnce }, (_, at) =>
    connection(options.urls[at % options.urls.length] ?? '', options, timesMs, isOver),
  );
  await Promise.all(connections);
  const elapsedMs = performance.now() - startedAt;
  return {
    perSecond: (timesMs.length / elapsedMs) * 1_000,
    p50Ms: median(timesMs),
    p99Ms: percentile(timesMs, 0.99),
    requests: timesMs.length,
  };
}

function connection(
  url: string,
  { next, status: expected }: LoadOptions,
  timesMs: number[],
  isOver: () => boolean,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let sentAt = 0;
  let received: Buffer = Buffer.alloc(0);
  const send = () => {
    const bytes = isOver() ? null : next();
    if (bytes === null) return finish(socket, resolve);
    sentAt = performance.now();
    socket.write(bytes);
  };
  socket.on('connect', send);
  socket.setTimeout(silenceMsMax, () =>
    socket.destroy(new Error(`${url} sent nothing for ${silenceMsMax} ms`)),
  );
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`${url} closed a connection`)));
  socket.on('data', (part: Buffer) => {
    received = received.length === 0 ? part : Buffer.concat([received, part]);
    const length = responseLength(received);
    if (length === null || received.length < length) return;
    const status = Number(received.toString('latin1', 9, 12));
    if (status !== expected) {
      reject(new Error(`${url} responded ${status} instead of ${expected}:\n${received.toString()}`));
      return void socket.destroy();
    }
    timesMs.push(performance.now() - sentAt);
    received = received.subarray(length);
    send();
  });
  return promise;
}

function finish(socket: Socket, resolve: () => void): void {
  resolve();
  socket.destroy();
}

/** Builds a POST request with a JSON body. */
export function postRequest(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({
    Host: host,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
