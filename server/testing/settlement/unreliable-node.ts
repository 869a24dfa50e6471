import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transaction } from 'ethers';

/**
 * What a node does with a call: answers as it should, never answers, answers 500 or something that is not JSON-RPC,
 * refuses for lack of ether, or does what it was asked and then answers 500, so that only the answer is lost.
 */
export type Conduct = 'sound' | 'hangs' | 'fails' | 'babbles' | 'wants-ether' | 'loses-answer';

export type UnreliableNode = {
  readonly url: string;
  /** Decides the conduct by method and request body; sound by default. */
  conduct: (method: string, body: string) => Conduct;
  /** Changes what the real node is asked; nothing by default. */
  reword: (method: string, body: string) => Promise<string> | string;
  /** Changes what the real node answered before it is passed on; nothing by default. */
  rewrite: (method: string, body: string, answer: string) => string;
  /** Signed transactions that arrived, each once, whatever became of them. */
  readonly sent: Set<string>;
  /** Methods that arrived, in order. */
  readonly calls: string[];
  close(): Promise<void>;
};

/** Stands in front of a real node and fails where a test tells it to. */
export async function startUnreliableNode(nodeUrl: string): Promise<UnreliableNode> {
  const server = createServer((request, response) => {
    // A caller that leaves in the middle, or a chain that has ended, breaks off this answer and no more.
    void take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node: UnreliableNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conduct: () => 'sound',
    reword: (_method, body) => body,
    rewrite: (_method, _body, answer) => answer,
    sent: new Set(),
    calls: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
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
    await answer(node.conduct(method, body), method, body, response);
  }

  async function answer(
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
      case 'loses-answer': {
        const headers = { 'content-type': 'application/json' };
        const asked = await node.reword(method, body);
        const answered = await fetch(nodeUrl, { method: 'POST', headers, body: asked });
        const text = await answered.text();
        if (conduct === 'sound') {
          response.writeHead(answered.status, headers).end(node.rewrite(method, body, text));
        } else response.writeHead(500).end('no');
      }
    }
  }
}

/**
 * The transactions that arrived from an account, in order. Each is read once: its sender is recovered from the signature,
 * which takes milliseconds, and a test that polls for what was sent holds up the sender, which runs in the same process. On
 * a busy machine a poll that read them all anew took longer than the deadline of the sender's calls, so that none was
 * answered.
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
