import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog, type Log } from '../observe/log.ts';
import { statusesIn } from '../testing/raw-client.ts';
import { useListening } from '../testing/use-listening.ts';

const { opened, serve, client } = useListening();

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const fine: RequestListener = (_request, response) => response.end('fine');

describe('D-198: a shutdown', () => {
  /** Longer than a test may take, so that a shutdown that uses it up fails. */
  const timeoutMs = 600_000;
  const proxied = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

  function collectedWarnings() {
    const warnings: unknown[] = [];
    const log = {
      ...createLog('silent'),
      warn: (_fields: unknown, text?: string) => void warnings.push(text),
    };
    return { warnings, log: log as Log };
  }

  it.each([
    ['that sent nothing', ''],
    ['with half a request line', 'GET /hea'],
    ['with half of its headers', 'GET /health HTTP/1.1\r\nHost: a\r\nX-'],
    ['with half a request behind a whole one', `${get('/')}GET /hea`],
    ['with half of a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{'],
    ['that asked for a tunnel', proxied],
  ])('does not wait for a connection %s', async (_name, bytes) => {
    const url = await serve(
      (request, response) => void request.resume().on('end', () => response.end('fine')),
    );
    const { write, socket } = await client(url);
    write(bytes);
    // The gateway has read everything once it serves a connection that was opened later.
    await fetch(url);
    const { warnings, log } = collectedWarnings();
    await opened[0]?.drain(async () => undefined, timeoutMs, log);
    expect(warnings).toEqual([]);
    if (!socket.closed) await once(socket.resume(), 'close');
  });

  it('waits for requests in progress and those queued behind them, then closes their connections', async () => {
    const underWay = Promise.withResolvers<ServerResponse>();
    const url = await serve((request, response) => {
      if (request.url === '/slow') underWay.resolve(response);
      else response.end('fine');
    });
    const { write, readAll } = await client(url);
    write(`${get('/slow')}${get('/behind')}GET /hea`);
    const response = await underWay.promise;
    const { warnings, log } = collectedWarnings();
    const drained = opened[0]?.drain(async () => undefined, timeoutMs, log);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    response.end('slow');
    const received = await readAll();
    expect(statusesIn(received)).toEqual([200, 200]);
    // The last response says that it is the last one.
    const [first, second] = received.split('slow');
    expect([first, second].map((text) => /^Connection: close\r$/im.test(text ?? ''))).toEqual([false, true]);
    await drained;
    expect(warnings).toEqual([]);
  });

  it.each([
    ['a request', true, async () => undefined],
    ['work that outlives the responses', false, () => new Promise<undefined>(() => undefined)],
  ])('logs that %s did not end in time', async (_name, asks, idle) => {
    const underWay = Promise.withResolvers<void>();
    const url = await serve(() => underWay.resolve());
    if (asks) {
      (await client(url)).write(get('/'));
      await underWay.promise;
    }
    const { warnings, log } = collectedWarnings();
    await opened[0]?.drain(idle, 1, log);
    expect(warnings).toEqual([expect.stringContaining('requests in progress did not end')]);
  });

  it('logs no warning without requests in progress', async () => {
    const url = await serve(fine);
    (await client(url)).write('GET /hea');
    await fetch(url);
    const { warnings, log } = collectedWarnings();
    await opened[0]?.drain(async () => undefined, 0, log);
    expect(warnings).toEqual([]);
  });
});
