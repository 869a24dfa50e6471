import { Agent, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type Listening, listenOnLoopback } from '../testing/fake-target.ts';
import type { Asked, Reply } from './message.ts';
import { createPaymentForge, type PaymentForge } from './payment-forge.ts';
import type { Target } from './target.ts';

/**
 * Changes of a gateway's behaviour, made by a proxy before it. To simulate a gateway that skips a rule or
 * accepts an invalid payment, `read` replaces the request by a valid one. `answer` and `send` get the request
 * as the client sent it.
 */
export type Edge = {
  readonly read?: (asked: Asked, forge: PaymentForge) => Asked | Promise<Asked>;
  readonly answer?: (reply: Reply, asked: Asked, forge: PaymentForge) => Reply | Promise<Reply>;
  /** Writes the response to the client. */
  readonly send?: (response: ServerResponse, reply: Reply, asked: Asked) => void;
};

export type OpenEdge = Listening & {
  /** Errors within the edge itself. A run with such an error does not count. */
  readonly faults: readonly string[];
};

/** Headers that Node writes itself. */
const hopHeaders = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding']);

/**
 * Opens an edge before a new gateway of the target, which runs unchanged. Every request passes through both.
 */
export async function openEdge({ read, answer, send = write }: Edge, target: Target): Promise<OpenEdge> {
  const faults: string[] = [];
  // The gateway behind the edge sees few connections; those that the suite opens end at the edge.
  const agent = new Agent({ keepAlive: true });
  let inner: Listening | undefined;
  let forge: PaymentForge | undefined;
  const received = createReceiver();
  const outer = await listenOnLoopback(async (request, response) => {
    try {
      if (!inner || !forge) throw new Error('A request arrived before the gateway was open.');
      const asked = await received(request, response);
      const toRead = read ? await read(asked, forge) : asked;
      const reply = await forward(inner.url, agent, toRead);
      send(response, answer ? await answer(reply, asked, forge) : reply, asked);
    } catch (error) {
      faults.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      response.destroy();
    }
  });
  try {
    inner = await target.open(outer.url);
    const { url } = inner;
    forge = createPaymentForge(target.payerKey, (asked) => forward(url, agent, asked));
  } catch (error) {
    await outer[Symbol.asyncDispose]();
    throw error;
  }
  const opened = inner;
  return {
    url: outer.url,
    faults,
    async [Symbol.asyncDispose]() {
      await outer[Symbol.asyncDispose]();
      agent.destroy();
      await opened[Symbol.asyncDispose]();
    },
  };
}

function write(response: ServerResponse, { status, headers, text }: Reply): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** Reads requests, and counts the requests of each connection and the requests in progress. */
function createReceiver() {
  const onConnection = new WeakMap<object, number>();
  let underWay = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<Asked> => {
    const before = onConnection.get(request.socket) ?? 0;
    onConnection.set(request.socket, before + 1);
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
    const text = await readText(request);
    return {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
      ),
      names: request.rawHeaders.filter((_, index) => index % 2 === 0),
      text,
      before,
      beside: underWay - 1,
    };
  };
}

function forward(url: string, agent: Agent, { method, path, headers, text }: Asked): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const kept = Object.entries(headers).filter(([name]) => !hopHeaders.has(name));
  const length = text === '' ? [] : [['content-length', String(Buffer.byteLength(text))] as const];
  // Joined as text: a path that begins with two slashes would name a host.
  const outgoing = requestHttp(new URL(`${url}${path}`), {
    method,
    headers: Object.fromEntries([...kept, ...length]),
    agent,
  });
  outgoing.on('error', reject);
  outgoing.on('response', async (incoming) => {
    const { statusCode = 0, rawHeaders } = incoming;
    const pairs = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 && !hopHeaders.has(name.toLowerCase()) ? [[name, rawHeaders[index + 1] ?? '']] : [],
    );
    try {
      resolve({ status: statusCode, headers: Object.fromEntries(pairs), text: await readText(incoming) });
    } catch (error) {
      reject(error);
    }
  });
  outgoing.end(text);
  return promise;
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
