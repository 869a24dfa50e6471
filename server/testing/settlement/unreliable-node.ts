import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transaction } from 'ethers';
import { Pool } from 'undici';

/**
 * The conduct of a node at a call: a correct response, none, HTTP 500, a body other than JSON-RPC, an error for
 * lack of ether, or HTTP 500 after the call was executed, so that only the response is lost.
 */
export type Conduct = 'sound' | 'hangs' | 'fails' | 'babbles' | 'wants-ether' | 'loses-response';

export type UnreliableNode = {
  readonly url: string;
  /** Decides the conduct by method and request body; sound by default. */
  conduct: (method: string, body: string) => Conduct;
  /** Changes the request to the real node; unchanged by default. */
  reword: (method: string, body: string) => Promise<string> | string;
  /** Changes the response of the real node; unchanged by default. */
  rewrite: (method: string, body: string, response: string) => string;
  /** Signed transactions that arrived, each once, whatever their result. */
  readonly sent: Set<string>;
  /** Methods that arrived, in order. */
  readonly calls: string[];
  close(): Promise<void>;
};

/** Starts a node that forwards calls to a real node and fails as a test demands. */
export async function startUnreliableNode(nodeUrl: string): Promise<UnreliableNode> {
  const server = createServer((request, response) => {
    // If the caller leaves or the chain has ended, only this response fails.
    void take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A pool needs half of the CPU time of `fetch`. The settlement tests make thousands of calls.
  const realNode = new Pool(nodeUrl);
  const node: UnreliableNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conduct: () => 'sound',
    reword: (_method, body) => body,
    rewrite: (_method, _body, response) => response,
    sent: new Set(),
    calls: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await realNode.destroy();
    },
  };
  return node;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method, params } = JSON.parse(body) as { method: string; params: readonly unknown[] };
    node.calls.push(method);
    if (method === 'eth_sendRawTransaction') node.sent.add(String(params[0]));
    await respond(node.conduct(method, body), method, body, response);
  }

  async function respond(
    conduct: Conduct,
    method: string,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    switch (conduct) {
      case 'hangs':
        return;
      case 'fails':
        response.writeHead(500).end('no');
        return;
      case 'babbles':
        response.writeHead(200).end('<html>Welcome</html>');
        return;
      case 'wants-ether': {
        const { id } = JSON.parse(body) as { id: number };
        const message = 'insufficient funds for gas * price + value + rollup cost';
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }));
        return;
      }
      case 'sound':
      case 'loses-response': {
        const headers = { 'content-type': 'application/json' };
        const asked = await node.reword(method, body);
        const answered = await realNode.request({ path: '/', method: 'POST', headers, body: asked });
        const text = await answered.body.text();
        if (conduct === 'sound') {
          response.writeHead(answered.statusCode, headers).end(node.rewrite(method, body, text));
        } else response.writeHead(500).end('no');
      }
    }
  }
}

/**
 * Creates a reader of the transactions that an account sent, in order. Each transaction is decoded once,
 * because recovering its sender takes milliseconds. On a busy machine, a test that decoded all of them in every
 * poll blocked the sender in the same process until its calls timed out.
 */
export function createSentReader(node: UnreliableNode): (account: string) => readonly Transaction[] {
  const read = new Map<string, { readonly transaction: Transaction; readonly from: string | undefined }>();
  return (account) => {
    for (const raw of node.sent) {
      if (read.has(raw)) continue;
      const transaction = Transaction.from(raw);
      read.set(raw, { transaction, from: transaction.from?.toLowerCase() });
    }
    return [...read.values()].filter(({ from }) => from === account).map(({ transaction }) => transaction);
  };
}
