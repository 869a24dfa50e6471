import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controlReading, type Reading } from './reading.ts';

const bodyBytes = 1_000_000;
/** Node reads at most so many bytes at once. */
const bytesOfReadMax = 65_536;
/** Far more turns of the event loop than Node needs to read a body without a bound. */
const turns = 50;

let server: Socket;
let client: Socket;
let reading: Reading;
let received: number;
let due: (() => void)[];

beforeEach(async () => {
  due = [];
  received = 0;
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  client = connect(listening.address() as { port: number });
  [server] = await once(listening, 'connection');
  listening.close();
  reading = controlReading(server, (call) => due.push(call));
  server.on('data', (bytes: Buffer) => {
    if (received === 0) reading.expectBody(bodyBytes - bytes.length);
    received += bytes.length;
  });
  client.write(Buffer.alloc(bodyBytes));
});

afterEach(() => {
  client.destroy();
  server.destroy();
});

it('reads a large body once in each turn (D-409)', async () => {
  const growths: number[] = [];
  while (received < bodyBytes) {
    const before = received;
    for (const call of due.splice(0)) call();
    await nextTurn();
    growths.push(received - before);
  }
  expect(Math.max(...growths)).toBeLessThanOrEqual(bytesOfReadMax);
  expect(received).toBe(bodyBytes);
});

it.each([
  ['its request does not take it', () => server.pause(), () => server.resume()],
  ['the connection is held', () => reading.hold(), () => reading.release()],
])('reads no body while %s, and the rest of it later', async (_name, stop, goOn) => {
  while (received === 0) await callDue();
  stop();
  await callDue();
  const before = received;
  await callDue();
  expect(received).toBe(before);
  goOn();
  while (received < bodyBytes) await callDue();
  expect(received).toBe(bodyBytes);
});

it('reads on when the stream asked for bytes while it was held before its turn', async () => {
  while (received < bodyBytes) await callDue();
  let pieces = 0;
  server.on('data', () => {
    pieces += 1;
    if (pieces === 3) reading.hold();
    if (pieces !== 2) return;
    // The third piece comes with the second, because it belongs to a body. A later turn is due all the same.
    reading.expectBody(3_000);
    server.resume();
  });
  client.write(Buffer.alloc(4_024));
  while (pieces < 3) await callDue();
  await callDue();
  reading.release();
  client.write(Buffer.alloc(10));
  await callDue();
  await callDue();
  expect(received).toBe(bodyBytes + 4_034);
});

/** Makes the calls that are due, and gives Node time to read. */
async function callDue(): Promise<void> {
  for (const call of due.splice(0)) call();
  for (let turn = 0; turn < turns; turn++) await nextTurn();
}
