import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatPath } from '../testing/payer.ts';
import { connectRaw, type RawClient, statusesIn } from '../testing/raw-client.ts';
import { useListening } from '../testing/use-listening.ts';

let gateway: TestGateway;
const clients: RawClient[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ headersTimeoutMs: 500, bodyTimeoutMs: 1_000 });
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(() => gateway.stop());

async function client(): Promise<RawClient> {
  const connected = await connectRaw(gateway.url);
  clients.push(connected);
  return connected;
}

function head(path: string, ...headers: readonly string[]): string {
  const all = ['Host: x', 'Content-Type: application/json', ...headers];
  return `POST ${path} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}

/** Resolves when the kernel has all bytes. Rejects when the gateway has closed the connection before. */
function written(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Many times the buffers of the kernel, so that a part of it waits in the client. */
const bodyBytes = 30_000_000;
const length = `Content-Length: ${bodyBytes}`;
const close = 'Connection: close';
const aChunk = `${bodyBytes.toString(16)}\r\n${'x'.repeat(bodyBytes)}\r\n0\r\n\r\n`;

describe('A response that the gateway sends before the body has arrived (§7, D-417)', () => {
  it.each([
    ['a body over the limit gets 413', head(chatPath, length), 413],
    ['so does one of a connection that ends', head(chatPath, length, close), 413],
    ['an unknown path gets 404', head('/nope', length, close), 404],
    ['a wrong method gets 405', head('/health', length, close), 405],
  ])('reaches a client that sends its whole body first: %s', async (_name, start, status) => {
    const { socket, readAll } = await client();
    socket.write(start);
    await written(socket, Buffer.alloc(bodyBytes, 'x'));
    expect(statusesIn(await readAll())).toEqual([status]);
  });

  it('reaches a client that sends its whole body in chunks first', async () => {
    const { socket, readAll } = await client();
    socket.write(head(chatPath, 'Transfer-Encoding: chunked'));
    await written(socket, aChunk);
    expect(statusesIn(await readAll())).toEqual([413]);
  });

  it('is the last of a connection whose body ends neither in time nor with an error', async () => {
    const { write, readAll } = await client();
    write(`${head(chatPath, length, close)}{`);
    expect(statusesIn(await readAll())).toEqual([413]);
  });

  it('is the only one, when the rest of the body is not valid', async () => {
    const { write, readUntil, readAll } = await client();
    write(head('/nope', 'Transfer-Encoding: chunked'));
    await readUntil('}}');
    write('not a length\r\n');
    expect(statusesIn(await readAll())).toEqual([404]);
  });

  it('is the only one, when the rest of the body comes too late', async () => {
    const { write, readAll } = await client();
    write(head('/nope', 'Content-Length: 10'));
    expect(statusesIn(await readAll())).toEqual([404]);
  });

  it('leaves the connection open for the next request, when the body arrives', async () => {
    const { write, readUntil, readAll } = await client();
    write(head('/nope', 'Content-Length: 10'));
    await readUntil('}}');
    write(`0123456789${head('/nope', 'Content-Length: 0', close)}`);
    expect(statusesIn(await readAll())).toEqual([404, 404]);
  });
});

const { serve, client: connect } = useListening();

it.each([
  [413, false],
  [503, true],
])(
  'a %i before the body ends the connection at once: %s, because a full gateway reads no more (D-417)',
  async (status, isEnded) => {
    const ended = Promise.withResolvers<Socket>();
    const url = await serve(
      ({ socket }, response) => {
        response.once('close', () => ended.resolve(socket));
        response.writeHead(status, { Connection: 'close' }).end();
      },
      { bodyTimeoutMs: 60_000 },
    );
    // The client does not read, so only the gateway can end the connection.
    (await connect(url)).write(head('/x', 'Content-Length: 10'));
    const socket = await ended.promise;
    await new Promise((turn) => setImmediate(turn));
    expect(socket.destroyed).toBe(isEnded);
  },
);
