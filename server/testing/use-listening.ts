import type { RequestListener } from 'node:http';
import { afterEach } from 'vitest';
import { type Config, configSchema } from '../config/schema.ts';
import { createLog } from '../observe/log.ts';
import { type Listening, listen } from '../start/listen.ts';
import { connectRaw, type RawClient } from './raw-client.ts';

/** Servers and raw clients of a test file. They end after each test. */
export function useListening() {
  const opened: Listening[] = [];
  const clients: RawClient[] = [];
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    for (const listening of opened.splice(0))
      await listening.drain(async () => undefined, 0, createLog('silent'));
  });
  return {
    opened,
    /** Serves on a free port, and returns the URL. */
    async serve(
      listener: RequestListener,
      settings: Partial<Record<keyof Config, unknown>> = {},
    ): Promise<string> {
      const listening = await listen(configSchema.parse({ port: 0, ...settings }));
      listening.attach(listener);
      opened.push(listening);
      return listening.url;
    },
    /** Connects, from a loopback address if one is given. */
    async client(url: string, from?: string): Promise<RawClient> {
      const connected = await connectRaw(url, from);
      clients.push(connected);
      return connected;
    },
  };
}
