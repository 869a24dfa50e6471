import { Agent, type RequestListener, request as requestHttp } from 'node:http';
import { createIndependentGateway } from '../independent/gateway.ts';
import type { Behaviour } from '../independent/steps.ts';
import { listenOnLoopback } from '../testing/fake-target.ts';
import type { Asked, Reply } from './message.ts';

/** A sound gateway that edges turn into mutants and legal variants. */
export type Target = {
  readonly name: string;
  /** Opens a new gateway whose offers name `publicUrl`. */
  open(publicUrl: string): Promise<OpenTarget>;
};

/** An open gateway. Only the edge sends it requests. */
export type OpenTarget = AsyncDisposable & {
  /** Private key of the payer with funds who pays in this run. */
  readonly payerKey: string;
  ask(asked: Asked): Promise<Reply>;
};

/** Headers that Node writes itself. */
const hopHeaders = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding']);

/**
 * The independent implementation, which reads its public URL from the `Host` header of a request. It answers without
 * a connection of its own: the suite reaches it through the connection of the edge.
 */
export function independentTarget(steps: Partial<Behaviour> = {}): Target {
  const { respond, payerKey } = createIndependentGateway(() => steps);
  const ask = async (asked: Asked): Promise<Reply> => {
    const { status, headers, text } = respond(asked);
    return { status, headers, text: asked.method === 'HEAD' ? '' : text };
  };
  return {
    name: 'the independent implementation',
    open: async () => ({ payerKey, ask, [Symbol.asyncDispose]: async () => undefined }),
  };
}

/** Serves a listener, and asks it over HTTP. */
export async function openOverHttp(listener: RequestListener, payerKey: string): Promise<OpenTarget> {
  const { url, ...server } = await listenOnLoopback(listener);
  // The gateway behind the edge sees few connections; those that the suite opens end at the edge.
  const agent = new Agent({ keepAlive: true });
  return {
    payerKey,
    ask: (asked) => forward(url, agent, asked),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
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
