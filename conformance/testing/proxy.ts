import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';

export type ProxyRequest = Pick<IncomingMessage, 'headers'> & {
  readonly method: string;
  readonly path: string;
  readonly body: string;
};
export type ProxyResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};
export type GatewayProxy = AsyncDisposable & { readonly url: string };

/** Sends the request to the gateway. The signal ends its connection. */
export type Forward = (signal?: AbortSignal) => Promise<ProxyResponse>;

/** A proxy for a gateway. `respond` may send a response itself or forward the request. */
export async function startProxy(
  gatewayUrl: string,
  response: (request: ProxyRequest, forward: Forward) => Promise<ProxyResponse>,
): Promise<GatewayProxy> {
  // The connections of the suite end at the proxy, which needs few of its own.
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    // The client or the gateway may already be gone.
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      body: await read(incoming),
    };
    const { status, headers, body } = await response(request, (signal) =>
      forward(gatewayUrl, request, { agent, ...(signal && { signal }) }),
    );
    outgoing.writeHead(status, headers).end(body);
  }
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

/** A JSON response of the proxy itself. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): ProxyResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

function forward(
  gatewayUrl: string,
  { method, path, headers: { connection: _, ...headers }, body }: ProxyRequest,
  connection: Pick<RequestOptions, 'agent' | 'signal'>,
): Promise<ProxyResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyResponse>();
  // The `Host` header stays, so that the offer names the address of the proxy.
  const outgoing = requestHttp(new URL(`${gatewayUrl}${path}`), { method, headers, ...connection });
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    const pairs = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
    const ofBody = ['transfer-encoding', 'content-length', 'connection'];
    const kept = pairs.filter(([name]) => !ofBody.includes(name ?? ''));
    const answered = { status: incoming.statusCode ?? 0, headers: Object.fromEntries(kept) };
    void read(incoming).then((body) => resolve({ ...answered, body }), reject);
  });
  outgoing.end(body);
  return promise;
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
