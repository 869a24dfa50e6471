import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { createLog } from '../observe/log.ts';
import { type Listening, listen } from './listen.ts';

const connections = 800;
const systemMost = readSystemMost();
let listening: Listening | null = null;

afterEach(() => listening?.drain(() => Promise.resolve(), 0, createLog('silent')));

/** The most connections that the system lets wait; 0 where it does not say. */
function readSystemMost(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}

it.runIf(systemMost >= connections)(
  'lets 800 connections wait while a turn of the event loop is long (D-390)',
  async () => {
    listening = await listen(configSchema.parse({ port: 0 }));
    const program = `
    const { connect } = require('node:net');
    let connected = 0;
    const end = () => { process.stdout.write(String(connected)); process.exit(); };
    for (let each = 0; each < ${connections}; each++)
      connect(${new URL(listening.url).port}, '127.0.0.1', () => {
        if (++connected === ${connections}) end();
      }).on('error', () => undefined);
    // The system repeats the first packet of a connection that it refused after one second.
    setTimeout(end, 900);`;
    // The event loop of this process, which has the server, stands still until the program ends.
    const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect(Number(stdout)).toBe(connections);
  },
);
