import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a node does with a call: answers as it should, never answers, answers 500 or something that is not JSON-RPC, or
 * does what it was asked and then answers 500, so that only the answer is lost.
 */
export type Conduct = 'sound' | 'hangs' | 'fails' | 'babbles' | 'loses-answer';

export type UnreliableNode = {
  readonly url: string;
  /** Decides the conduct by method and request body; sound by default. */
  conduct: (method: string, body: string) => Conduct;
  /** Methods that arrived, in order. */
  readonly calls: string[];
  close(): Promise<void>;
};

/** Stands in front of a real node and fails where a test tells it to. */
export async function startUnreliableNode(nodeUrl: string): Promise<UnreliableNode> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method } = JSON.parse(body) as { method: string };
    node.calls.push(method);
    await answer(node.conduct(method, body), body, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node: UnreliableNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conduct: () => 'sound',
    calls: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return node;

  async function answer(conduct: Conduct, body: string, response: ServerResponse): Promise<void> {
    switch (conduct) {
      case 'hangs':
        return;
      case 'fails':
        response.writeHead(500).end('no');
        return;
      case 'babbles':
        response.writeHead(200).end('<html>Welcome</html>');
        return;
      case 'sound':
      case 'loses-answer': {
        const headers = { 'content-type': 'application/json' };
        const answered = await fetch(nodeUrl, { method: 'POST', headers, body });
        const text = await answered.text();
        if (conduct === 'sound') response.writeHead(answered.status, headers).end(text);
        else response.writeHead(500).end('no');
      }
    }
  }
}
