import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { type StreamLimits, streamHeaders, writeEvent, writeEvents } from './write-events.ts';

const limits: StreamLimits = { streamHeartbeatMs: 5_000, responseTimeoutMs: 5_000 };
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Starts a server that writes the texts. `ended` has the result of `writeEvents`. */
async function listen(texts: AsyncIterable<string>, change: Partial<StreamLimits> = {}) {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const server = createServer((_request, response) => {
    response.writeHead(200, streamHeaders);
    resolve(writeEvents(response, texts, { ...limits, ...change }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, ended };
}

/** Starts a server that writes the texts, and requests them. */
async function serve(texts: AsyncIterable<string>, change: Partial<StreamLimits> = {}) {
  const { port, ended } = await listen(texts, change);
  const request = get({ port, host: '127.0.0.1' });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { response, request, ended };
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return text;
}

const never = new Promise<never>(() => undefined);

/** Texts that report whether their reader ended them. */
function watched(produce: () => AsyncGenerator<string>) {
  const { promise: returned, resolve } = Promise.withResolvers<void>();
  let taken = 0;
  const inner = produce();
  const texts: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        taken++;
        return inner.next();
      },
      async return() {
        resolve();
        return { done: true as const, value: undefined };
      },
    }),
  };
  return { texts, returned, taken: () => taken };
}

test('an event is one line of data', () => {
  expect(writeEvent({ text: 'one\ntwo' })).toBe('data: {"text":"one\\ntwo"}\n\n');
  expect(writeEvent('[DONE]')).toBe('data: [DONE]\n\n');
});

describe('a stream of events (D-269)', () => {
  test('arrives as it is written, and ends the response', async () => {
    const { promise: second, resolve } = Promise.withResolvers<void>();
    const { response, ended } = await serve(
      (async function* () {
        yield writeEvent('one');
        await second;
        yield writeEvent('two');
      })(),
    );
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    const [first] = await once(response, 'data');
    expect(String(first)).toBe('data: one\n\n');
    resolve();
    expect(await readAll(response)).toBe('data: two\n\n');
    await ended;
  });

  test('has its headers before its first text, and comments while no text comes', async () => {
    const { response } = await serve(
      (async function* () {
        yield await never;
      })(),
      { streamHeartbeatMs: 30 },
    );
    const [first] = await once(response, 'data');
    expect(String(first)).toBe(':\n\n');
    response.destroy();
  });

  test('has no comment while texts come', async () => {
    const { response } = await serve(
      (async function* () {
        for (let text = 0; text < 12; text++) {
          yield writeEvent('x');
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
      { streamHeartbeatMs: 120 },
    );
    expect(await readAll(response)).toBe(writeEvent('x').repeat(12));
  });

  test('takes no text beyond what the client reads, and disconnects a client that reads too slowly', async () => {
    const source = watched(async function* () {
      for (;;) yield writeEvent('x'.repeat(65_536));
    });
    const { response, ended } = await serve(source.texts, { responseTimeoutMs: 300 });
    response.pause();
    await ended;
    await source.returned;
    // The sockets of both sides hold some megabytes, and the source has no end.
    expect(source.taken()).toBeLessThan(1_000);
    await expect(readAll(response)).rejects.toThrow('aborted');
  });

  test('serves a client that reads slowly but within the limit', async () => {
    const { response } = await serve(
      (async function* () {
        for (let text = 0; text < 200; text++) yield writeEvent('x'.repeat(65_536));
      })(),
      { responseTimeoutMs: 1_000 },
    );
    let length = 0;
    for await (const bytes of response) {
      length += (bytes as Buffer).length;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(length).toBe(200 * writeEvent('x'.repeat(65_536)).length);
  });

  test('ends its source at once when the client leaves, also between two texts', async () => {
    const source = watched(async function* () {
      yield writeEvent('one');
      yield await never;
    });
    const { response, request, ended } = await serve(source.texts);
    await once(response, 'data');
    request.destroy();
    await ended;
    await source.returned;
  });

  test('breaks the connection when its source throws, so that it does not look complete', async () => {
    const { response, ended } = await serve(
      (async function* () {
        yield writeEvent('one');
        throw new Error('a defect');
      })(),
    );
    await expect(readAll(response)).rejects.toThrow('aborted');
    await expect(ended).rejects.toThrow('a defect');
  });

  test('resets the connection of HTTP/1.0 then, because a body without length ends with its connection', async () => {
    const { port, ended } = await listen(
      (async function* () {
        yield writeEvent('one');
        throw new Error('a defect');
      })(),
    );
    const socket = connect(port, '127.0.0.1');
    const failed = once(socket, 'end').then(
      () => 'ended',
      ({ code }: NodeJS.ErrnoException) => code,
    );
    socket.resume().write('GET / HTTP/1.0\r\n\r\n');
    expect(await failed).toBe('ECONNRESET');
    await expect(ended).rejects.toThrow('a defect');
  });
});

test('keeps no event in memory once the client has it', async () => {
  const events = 50;
  const sent: WeakRef<object>[] = [];
  let kept = Number.NaN;
  const texts: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        // A new reference keeps its object until the end of the turn.
        await nextTurn();
        if (sent.length < events) {
          const result = { value: 'x', done: false as const };
          sent.push(new WeakRef(result));
          return result;
        }
        collectGarbage();
        kept = sent.filter((result) => result.deref() !== undefined).length;
        return { value: undefined, done: true as const };
      },
    }),
  };
  const { response, ended } = await serve(texts);
  expect(await readAll(response)).toBe('x'.repeat(events));
  await ended;
  // The engine may hold the last one.
  expect(kept).toBeLessThanOrEqual(2);
});
