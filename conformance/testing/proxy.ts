import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';

export type ProxyRequest = Pick<IncomingMessage, 'headers'> & {
  readonly method: string;
  readonly path: string;
  readonly body: string;
};
export type ProxyAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};
export type GatewayProxy = AsyncDisposable & { readonly url: string };

/** Stands before a gateway and answers in its place, or lets it answer. */
export async function startProxy(
  gatewayUrl: string,
  answer: (request: ProxyRequest, forward: () => Promise<ProxyAnswer>) => Promise<ProxyAnswer>,
): Promise<GatewayProxy> {
  const server = createServer((incoming, outgoing) => {
    // Whoever asked may be gone before the answer is there, and so may the gateway.
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      body: await read(incoming),
    };
    const { status, headers, body } = await answer(request, () => forward(gatewayUrl, request));
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
    },
  };
}

/** An answer of the proxy's own. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): ProxyAnswer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

function forward(gatewayUrl: string, { method, path, headers, body }: ProxyRequest): Promise<ProxyAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyAnswer>();
  // The host is kept, so that the offer names the address that was asked.
  const outgoing = requestHttp(new URL(path, gatewayUrl), { method, headers, agent: false });
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
