import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { keccak256 } from 'ethers';

export type Call = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** How many calls of this method came before it. */
  readonly earlier: number;
  /** Has the chain do it, once however often it is asked, and resolves with what the chain answered. */
  pass(): Promise<string>;
};

/**
 * What the node does with a call: as it should; never answers; answers 500; answers with something that is not JSON-RPC; does
 * what it was asked and loses the answer; says that it took a transaction and forgets it; says what it is told to.
 */
export type Conduct =
  | 'sound'
  | 'hangs'
  | 'fails'
  | 'babbles'
  | 'loses-answer'
  | 'forgets'
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

export type Rule = (call: Call) => Conduct | Promise<Conduct>;

/** A node of the chain as far as a gateway can tell: a server in front of the real one. */
export type FaultyNode = {
  readonly url: string;
  /** Decides over every call; asked in the order in which they arrive. */
  rule: Rule;
  /** Calls so far, by method. */
  readonly calls: ReadonlyMap<string, number>;
  /** Refuses connections, and breaks those that are open. */
  off(): Promise<void>;
  on(): Promise<void>;
};

export const sound: Rule = () => 'sound';

export async function startFaultyNode(nodeUrl: string): Promise<FaultyNode> {
  const calls = new Map<string, number>();
  let server: Server | null = await listen(0);
  const { port } = server.address() as AddressInfo;
  const node: FaultyNode = {
    url: `http://127.0.0.1:${port}`,
    rule: sound,
    calls,
    async off() {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = once(closing, 'close');
      closing.close();
      closing.closeAllConnections();
      await closed;
    },
    async on() {
      server ??= await listen(port);
    },
  };
  return node;

  async function listen(at: number): Promise<Server> {
    const opened = createServer((request, response) => {
      // A gateway that is killed may leave in the middle of its call.
      void text(request)
        .then((body) => answer(body, response))
        .catch(() => response.destroy());
    });
    opened.listen(at, '127.0.0.1');
    await once(opened, 'listening');
    return opened;
  }

  async function answer(body: string, response: ServerResponse): Promise<void> {
    const { id, method, params } = JSON.parse(body) as {
      readonly id: unknown;
      readonly method: string;
      readonly params: readonly unknown[];
    };
    const earlier = calls.get(method) ?? 0;
    calls.set(method, earlier + 1);
    let passed: Promise<string> | null = null;
    const pass = () => {
      passed ??= forward(nodeUrl, body);
      return passed;
    };
    const conduct = await node.rule({ method, params, earlier, pass });
    const say = (content: object) =>
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, ...content }));
    if (typeof conduct === 'object') {
      say(conduct);
      return;
    }
    switch (conduct) {
      case 'sound':
        response.writeHead(200, json).end(await pass());
        return;
      case 'hangs':
        return;
      case 'fails':
        response.writeHead(500).end('no');
        return;
      case 'babbles':
        response.writeHead(200, json).end('<html>Welcome</html>');
        return;
      case 'loses-answer':
        await pass();
        response.writeHead(500).end('no');
        return;
      case 'forgets':
        say({ result: method === 'eth_sendRawTransaction' ? keccak256(String(params[0])) : null });
    }
  }
}

const json = { 'content-type': 'application/json' };

async function forward(nodeUrl: string, body: string): Promise<string> {
  const answered = await fetch(nodeUrl, { method: 'POST', headers: json, body });
  return answered.text();
}
