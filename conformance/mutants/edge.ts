import { Agent, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type Listening, listenOnLoopback } from '../testing/fake-target.ts';
import type { Asked, Reply } from './message.ts';
import { createPaymentForge, type PaymentForge } from './payment-forge.ts';
import type { Target } from './target.ts';

/**
 * The places at a gateway's edge where its behaviour is changed. What it gets to read instead of what was sent is how a rule is
 * skipped, or a payment taken that it would refuse; `asked` of an answer is always the request as it was sent.
 */
export type Edge = {
  readonly read?: (asked: Asked, forge: PaymentForge) => Asked | Promise<Asked>;
  readonly answer?: (reply: Reply, asked: Asked, forge: PaymentForge) => Reply | Promise<Reply>;
  /** How the answer goes out. */
  readonly send?: (response: ServerResponse, reply: Reply, asked: Asked) => void;
};

export type OpenEdge = Listening & {
  /** What went wrong within the edge itself: a run with any of it says nothing of the change. */
  readonly faults: readonly string[];
};

/** Node writes these itself. */
const hopHeaders = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding']);

/**
 * Puts an edge before a gateway of its own, so that every request passes through both. The gateway runs as it is: whatever the
 * edge does not change is its behaviour.
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
      if (!inner || !forge) throw new Error('a request before the gateway was there');
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

/** Reads requests, and counts those of each connection and those under way. */
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
    const text = await textOf(request);
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
  const outgoing = requestHttp(new URL(path, url), {
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
      resolve({ status: statusCode, headers: Object.fromEntries(pairs), text: await textOf(incoming) });
    } catch (error) {
      reject(error);
    }
  });
  outgoing.end(text);
  return promise;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
