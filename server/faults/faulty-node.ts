import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { keccak256 } from 'ethers';

export type Call = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The number of earlier calls of this method. */
  readonly earlier: number;
  /** Forwards the call to the chain once and resolves with the chain's response. */
  pass(): Promise<string>;
};

/**
 * The node's treatment of a call: forward it; hang; return 500; return text that is not JSON-RPC; forward it
 * and lose the response; accept a transaction and drop it; return a given result or error.
 */
export type Conduct =
  | 'sound'
  | 'hangs'
  | 'fails'
  | 'babbles'
  | 'loses-response'
  | 'forgets'
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

export type Rule = (call: Call) => Conduct | Promise<Conduct>;

/** A proxy in front of the chain's node that misbehaves by rule. */
export type FaultyNode = {
  readonly url: string;
  /** Decides about each call, in the order of arrival. */
  rule: Rule;
  /** Number of calls so far, by method. */
  readonly calls: ReadonlyMap<string, number>;
  /** Refuses new connections and closes the open ones. */
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
      // A gateway that is killed may close the connection early.
      void text(request)
        .then((body) => respond(body, response))
        .catch(() => response.destroy());
    });
    opened.listen(at, '127.0.0.1');
    await once(opened, 'listening');
    return opened;
  }

  async function respond(body: string, response: ServerResponse): Promise<void> {
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
      case 'loses-response':
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
