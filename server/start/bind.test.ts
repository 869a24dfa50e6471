import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bound, bind } from './bind.ts';

const host = '127.0.0.1';
const connectionsMax = 1_024;
const opened: { readonly bound: Bound; end(): void }[] = [];

afterEach(async () => {
  for (const { bound, end } of opened.splice(0)) {
    end();
    await bound.close();
  }
});

async function open(port: number, sockets?: number) {
  const server = createServer((_request, response) => response.end('here'));
  const bound = await bind(server, { host, port }, connectionsMax, sockets);
  opened.push({ bound, end: () => server.closeAllConnections() });
  return { server, bound, port: Number(new URL(bound.url).port) };
}

/** Counts the turns of the event loop until the server has accepted connections that waited for it. */
async function countTurns(sockets: number | undefined): Promise<number> {
  const connections = 128;
  const { server, port } = await open(0, sockets);
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    socket.on('error', () => undefined);
  });
  // The event loop of this process stands still until the program ends.
  const program = `
    const { connect } = require('node:net');
    let connected = 0;
    for (let each = 0; each < ${connections}; each++)
      connect(${port}, '${host}', () => ++connected === ${connections} && process.exit());`;
  expect(spawnSync(process.execPath, ['-e', program]).status).toBe(0);
  let turns = 0;
  for (; accepted < connections; turns++) await nextTurn();
  return turns;
}

describe.runIf(process.platform === 'linux')('128 waiting connections (D-415)', () => {
  it('are accepted within 64 turns of the event loop', async () => {
    expect(await countTurns(undefined)).toBeLessThan(64);
  });

  it('would need 128 turns with one listening socket', async () => {
    expect(await countTurns(1)).toBeGreaterThanOrEqual(127);
  });
});

it('serves each of many connections', async () => {
  const { bound } = await open(0);
  const responses = Array.from({ length: 40 }, async () => {
    const response = await fetch(bound.url, { headers: { connection: 'close' } });
    return response.text();
  });
  expect(new Set(await Promise.all(responses))).toEqual(new Set(['here']));
});

it('does not share its port with another gateway', async () => {
  const { port } = await open(0);
  await expect(open(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('does not share its port with a gateway that starts at the same time', async () => {
  const { port, bound } = await open(0);
  await bound.close();
  // The second one begins a bit later in each round, so that it meets each step of the first.
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const first = open(port);
    for (let tick = 0; tick < ticks; tick += 1) await new Promise(process.nextTick);
    const both = await Promise.allSettled([first, open(port)]);
    expect(both.map(({ status }) => status).toSorted(), `after ${ticks} ticks`).toEqual([
      'fulfilled',
      'rejected',
    ]);
    await opened.pop()?.bound.close();
  }
});

it('gives its port back when it closes', async () => {
  const { port, bound } = await open(0);
  await bound.close();
  const socket = connect(port, host);
  expect(await once(socket, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
  expect((await open(port)).port).toBe(port);
});
