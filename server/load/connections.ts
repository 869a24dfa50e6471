import { connect } from 'node:net';
import { responseLength } from '../bench/measure/response-length.ts';

/** The end of one request. */
export type Seen =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** `error.code`; null for a completion. */
      readonly code: string | null;
      /** The seconds of `Retry-After`; null without the header. */
      readonly retryAfterSeconds: number | null;
    }
  /** The connection ended before the response. */
  | { readonly kind: 'lost'; readonly why: string };

/** Raw keep-alive connections to one server, opened as they are needed. */
export type Connections = {
  /** Never rejects. */
  send(request: Buffer): Promise<Seen>;
  close(): void;
};

type Connection = {
  exchange(request: Buffer): Promise<Seen>;
  isOpen(): boolean;
  destroy(): void;
};

/** Below `keepAliveTimeoutMs` of the gateway, so that no request meets a connection that is closing. */
const idleMsMax = 2_000;
/** Longer than any response of a gateway with the usual settings. */
const silenceMsMax = 90_000;

export function openConnections(url: string): Connections {
  const { hostname, port } = new URL(url);
  const idle: { readonly connection: Connection; readonly sinceMs: number }[] = [];
  const all = new Set<Connection>();
  return {
    async send(request) {
      const connection = takeIdle() ?? openConnection(hostname, Number(port));
      all.add(connection);
      const seen = await connection.exchange(request);
      if (connection.isOpen()) idle.push({ connection, sinceMs: performance.now() });
      else all.delete(connection);
      return seen;
    },
    close() {
      for (const connection of all) connection.destroy();
    },
  };

  /** The connection that was used last. Older ones become idle, and are closed. */
  function takeIdle(): Connection | null {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      const { connection, sinceMs } = last;
      if (connection.isOpen() && performance.now() - sinceMs < idleMsMax) return connection;
      connection.destroy();
      all.delete(connection);
    }
    return null;
  }
}

function openConnection(host: string, port: number): Connection {
  const socket = connect({ host, port, noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let waiting: ((seen: Seen) => void) | null = null;
  let why = 'closed before the response';
  let requests = 0;
  const end = (seen: Seen) => {
    const resolve = waiting;
    waiting = null;
    resolve?.(seen);
  };
  socket.setTimeout(silenceMsMax, () => socket.destroy(new Error(`silent for ${silenceMsMax} ms`)));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    why = error.code ?? error.message;
  });
  socket.on('close', () =>
    end({ kind: 'lost', why: `${why} on a ${requests > 1 ? 'reused' : 'new'} connection` }),
  );
  socket.on('data', (part: Buffer) => {
    received = received.length === 0 ? part : Buffer.concat([received, part]);
    const length = responseLength(received);
    if (length === null || received.length < length) return;
    const response = received.toString('latin1', 0, length);
    received = received.subarray(length);
    if (/\r\nconnection: *close\r\n/i.test(response)) socket.destroy();
    end(readSeen(response));
  });
  return {
    exchange(request) {
      return new Promise((resolve) => {
        waiting = resolve;
        requests += 1;
        socket.write(request);
      });
    },
    isOpen: () => socket.writable && socket.readable,
    destroy: () => void socket.destroy(),
  };
}

function readSeen(response: string): Seen {
  const status = Number(response.slice(9, 12));
  const retryAfter = /\r\nretry-after: *(\d+)\r\n/i.exec(response)?.[1];
  return {
    kind: 'response',
    status,
    code: status === 200 ? null : (/"code": *"(\w+)"/.exec(response)?.[1] ?? null),
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
  };
}
