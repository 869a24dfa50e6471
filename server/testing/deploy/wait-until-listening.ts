import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

const pollMs = 20;
const withinMs = 10_000;

/** Waits until a program listens on a port of loopback. Throws after ten seconds. */
export async function waitUntilListening(port: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (cause) {
      if (performance.now() > deadline) throw cause;
    } finally {
      socket.destroy();
    }
    await after(pollMs);
  }
}
