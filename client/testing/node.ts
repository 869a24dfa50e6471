import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';

export type Call = { readonly method: string; readonly params: readonly unknown[] };

export type TestNode = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

/** A proxy of a node: `respond` returns the result of each call, and `upstream` asks the real node. */
export async function startTestNode(
  upstreamUrl: string,
  respond: (call: Call, upstream: () => Promise<unknown>) => Promise<unknown>,
): Promise<TestNode> {
  return listen(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const { id, method, params } = JSON.parse(body);
    const upstream = async (): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const asked = await fetch(upstreamUrl, { method: 'POST', headers, body });
      const { result }: { result?: unknown } = JSON.parse(await asked.text());
      return result;
    };
    const result = await respond({ method, params }, upstream);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

/** A server that gives every request the same response. */
export function startFixedServer(respond: (response: ServerResponse) => void): Promise<TestNode> {
  return listen((_, response) => respond(response));
}

async function listen(listener: RequestListener): Promise<TestNode> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
