import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** For tests: the conduct of an upstream at a request whose body has arrived. */
export type Behaviour = (response: ServerResponse, request: SeenRequest) => void;

type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** The port of the client, which is that of its connection. */
  readonly port: number | undefined;
};

/** For tests: a real HTTP server in this process with the given conduct. */
export async function openUpstream(behaviour: Behaviour) {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const arrivals: (() => void)[] = [];
  const departures: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const port = request.socket.remotePort;
      const arrived = { method, url, headers, port, body: JSON.parse(Buffer.concat(chunks).toString()) };
      seen.push(arrived);
      behaviour(response, arrived);
      for (const resolve of arrivals.splice(0)) resolve();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      for (const resolve of departures.splice(0)) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    seen,
    /** Resolves when a request has arrived and its conduct has run. */
    arrival: async () => {
      if (seen.length === 0) await new Promise<void>((resolve) => arrivals.push(resolve));
    },
    /** Resolves when no connection is open. */
    departure: async () => {
      while (sockets.size > 0) await new Promise<void>((resolve) => departures.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

/** For tests: responds with JSON. */
export function json(body: unknown, status = 200): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

/** For tests: responds with server-sent events, each with one of the values as JSON, or as it is if it is a string. */
export function events(...data: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of data)
      response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`);
    response.end();
  };
}
