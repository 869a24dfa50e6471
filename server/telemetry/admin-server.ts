import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTurn } from '../http/in-turn.ts';

/** An `import` would make Node load its own HTTP client (D-254). */
const { createServer } = process.getBuiltinModule('node:http');

/** The address of the admin server. Port 0 takes a free one. */
export type AdminAddress = { readonly host: string; readonly port: number };

/** A response beside the metrics. */
export type AdminReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly bytes: Buffer | string;
};

/** Finds the response to a GET of another path than the metrics; null for an unknown path. */
export type FindAdminReply = (path: string, headers: IncomingHttpHeaders) => Promise<AdminReply | null>;

export type AdminServer = {
  readonly url: string;
  /** Serves more paths from now on. */
  serve(find: FindAdminReply): void;
  close(): Promise<void>;
};

/** Monitors of one gateway, and a few more. Each has a connection or two. */
const connectionsMax = 64;
/** The time of a client to send a request, which is small and has no body, and to read its response. */
const timeoutMsDefault = 5_000;
/** A monitor waits for each response, and reads it. */
const bounds = { pipelinedRequestsMax: 1, pipelinedBytesMax: 1_024, unsentBytesMax: 16 * 1_048_576 };

export type Page = { readonly contentType: string; readonly text: string };

/**
 * Serves `GET /metrics` on its own address, apart from the clients (D-300), and the paths of `serve`. `render` never
 * rejects. Scrapes that come while one is in progress share its page. A client that does not read its response is
 * disconnected (D-341).
 */
export async function openAdminServer(
  address: AdminAddress,
  render: () => Promise<Page>,
  timeoutMs = timeoutMsDefault,
): Promise<AdminServer> {
  let rendering: Promise<Page> | null = null;
  let find: FindAdminReply = async () => null;
  const server = createServer({
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    keepAliveTimeout: timeoutMs,
    connectionsCheckingInterval: timeoutMs,
  });
  server.maxConnections = connectionsMax;
  const times = { responseTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, bodyTimeoutMs: timeoutMs };
  const { open, take } = inTurn((request, response) => void respond(request, response), {
    ...bounds,
    ...times,
  });
  server.on('connection', open);
  server.on('request', take);
  server.on('clientError', (_error, socket) => socket.destroy());
  const url = await bind(server, address);
  return {
    url,
    serve(more) {
      find = more;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return end(response, 405, 'This path accepts only GET.\n');
    }
    if (path !== '/metrics') return respondElse(path, request, response);
    rendering ??= render().finally(() => {
      rendering = null;
    });
    const { contentType, text } = await rendering;
    end(response, 200, text, contentType);
  }

  async function respondElse(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const reply = await find(path, request.headers).catch(() => broken);
    if (reply === null)
      return end(
        response,
        404,
        'The admin address has no such path; it has /metrics, and / for a browser.\n',
      );
    const { status, headers, bytes } = reply;
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) response.setHeader(name, value);
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(bytes) }).end(bytes);
  }
}

/** The store or the node failed. The metrics say which. */
const broken: AdminReply = {
  status: 503,
  headers: { 'Content-Type': 'text/plain' },
  bytes: 'The gateway could not read its state; /metrics says why.\n',
};

function end(response: ServerResponse, status: number, text: string, contentType = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function bind(server: Server, { host, port }: AdminAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: bound } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`);
    });
  });
}
