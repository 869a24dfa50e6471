import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { temporaryFolder } from './folder.ts';
import { gatewayProgram } from './gateway-process.ts';

/** What the worlds of one run share. */
export type SharedFixtures = {
  /** Started when it is first asked for. */
  postgres(): Promise<TestServer>;
  /** For every gateway. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/**
 * Compiles the gateway once for all of its many starts, which halves what a start takes; the program is the same. The
 * cache is written by a process that ends by itself, as none of ours does.
 */
export async function openSharedFixtures(): Promise<SharedFixtures> {
  const cache = temporaryFolder();
  const environment = { NODE_COMPILE_CACHE: cache.path };
  // Every gateway and every folder listens for the end of this process.
  process.setMaxListeners(0);
  await promisify(execFile)(process.execPath, [gatewayProgram, '--settings'], { env: environment });
  let server: Promise<TestServer> | null = null;
  return {
    environment,
    postgres() {
      server ??= startTestServer();
      return server;
    },
    async close() {
      const started = await server?.catch(() => null);
      await started?.remove();
      cache.remove();
    },
  };
}
