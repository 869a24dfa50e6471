import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a proxy, and waits for its end. */
export async function stopProxy(proxy: ChildProcess): Promise<void> {
  const ended = once(proxy, 'close');
  proxy.kill('SIGTERM');
  await ended;
}
