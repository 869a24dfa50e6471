import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { Pool } from 'undici';

// A server that does nothing but read and parse the body, and send fixed bytes or the bytes of an upstream: the
// floor of the measurement. The benchmark starts it as `node bare.ts koa|node|proxy '<json>'`.

type Fixed = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly delayMs?: number;
  readonly upstream?: string;
};

const [framework, json = '{}'] = process.argv.slice(2);
const { status, headers, body, delayMs = 0, upstream = '' } = JSON.parse(json) as Fixed;

const listeners = { koa: koaListener, node: () => nodeListener, proxy: proxyListener };
const server = createServer(listeners[framework as keyof typeof listeners]());
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});

function koaListener() {
  const app = new Koa();
  app.use(async (context) => {
    JSON.parse(await readText(context.req));
    context.status = status;
    context.set(headers);
    context.body = body;
  });
  return app.callback();
}

function proxyListener() {
  const { origin, pathname } = new URL(upstream);
  const pool = new Pool(origin);
  const app = new Koa();
  app.use(async (context) => {
    const text = await readText(context.req);
    JSON.parse(text);
    const response = await pool.request({
      path: `${pathname}/chat/completions`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    context.status = response.statusCode;
    context.type = 'application/json';
    context.body = await response.body.text();
  });
  return app.callback();
}

async function nodeListener(...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) {
  // A probe of an upstream has no body.
  if (request.method === 'POST') JSON.parse(await readText(request));
  if (delayMs > 0) await wait(delayMs);
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
