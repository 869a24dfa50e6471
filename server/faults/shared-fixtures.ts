import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { temporaryFolder } from './folder.ts';

/** Fixtures that the scenarios of one run share. */
export type SharedFixtures = {
  /** Starts the server on first use. */
  postgres(): Promise<TestServer>;
  /** Variables for every gateway. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** A program that loads the gateway and exits by itself. */
const loadsGateway = `import ${JSON.stringify(new URL('../start/run-gateway.ts', import.meta.url))};
import ${JSON.stringify(new URL('../start/start.ts', import.meta.url))};`;

/**
 * Compiles the gateway once for all starts, which halves the time of a start. A process that exits by itself
 * writes the cache, because killed gateways do not. A test run already has a cache.
 */
export async function openSharedFixtures(): Promise<SharedFixtures> {
  const cache = temporaryFolder();
  const environment = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? cache.path };
  // Each gateway and each folder adds an exit listener.
  process.setMaxListeners(0);
  const load = ['--input-type=module', '--eval', loadsGateway];
  await promisify(execFile)(process.execPath, load, { env: environment });
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
