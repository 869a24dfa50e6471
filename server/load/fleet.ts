import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshRelayer, model } from '../bench/targets/gateway.ts';
import { price } from '../bench/targets/payments.ts';
import type { Setup } from '../bench/targets/setup.ts';
import { type GatewayProcess, startGatewayProcess } from '../faults/gateway-process.ts';
import { createFaultStore, type FaultStore } from '../faults/store.ts';
import { startNginx } from '../testing/deploy/nginx.ts';
import { stopProxy } from '../testing/deploy/stop-proxy.ts';
import { findFreePort } from '../testing/free-port.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import type { TestServer } from '../testing/store/postgres-server.ts';

/** Gateways on one PostgreSQL store, behind nginx with the example configuration. */
export type Fleet = AsyncDisposable & {
  /** The URL of nginx. */
  readonly url: string;
  readonly store: FaultStore;
  /** Ends a gateway by a signal, and starts it again at the same port. Returns its exit code; null after a kill. */
  restart(at: number, signal: 'SIGTERM' | 'SIGKILL', pauseMs?: number): Promise<number | null>;
};

/**
 * All load comes from one address, so there are no rate limits. A killed gateway keeps its reservations and its relayer
 * for a minute with the usual times, and here for fifteen seconds, so that a run does not wait for them.
 */
const settings = {
  addressRateLimit: null,
  payerRateLimit: null,
  refusalRateLimit: null,
  inferenceTimeoutMs: 5_000,
  relayerLeaseSeconds: 5,
};

export async function startFleet(
  { devnet, folder, startLedger }: Setup,
  server: TestServer,
  gateways: number,
): Promise<Fleet> {
  await using opened = new AsyncDisposableStack();
  const store = await createFaultStore('postgres', folder, async () => server);
  opened.defer(() => store.close());
  const ports = await findFreePorts(gateways + 2);
  const [http = 0, https = 0, ...own] = ports;
  const url = `http://127.0.0.1:${https}`;
  const relayers = await Promise.all(Array.from({ length: gateways }, () => freshRelayer(devnet)));
  const environment = {
    ...store.environment,
    CATALOG_FILE: writeCatalog(folder),
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    // As in compose.yaml, all gateways have all keys. Each relayer belongs to one of them at a time.
    RELAYER_KEY: relayers.map(({ privateKey }) => privateKey).join(','),
    ...ledgerEnvironment(await startLedger()),
    PUBLIC_BASE_URL: url,
    TRUSTED_PROXIES: '1',
  };
  const start = (port: number) =>
    startGatewayProcess(folder, environment, { settings, environment: { PORT: String(port) } });
  const processes: GatewayProcess[] = [];
  opened.defer(async () => {
    await Promise.all(processes.map((gateway) => gateway.kill()));
  });
  // One after the other, because the first one creates the tables.
  for (const port of own) processes.push(await start(port));
  const proxy = await startNginx({
    ...{ folder, ports: { http, https }, tls: false },
    gateways: own.map((port) => `127.0.0.1:${port}`),
  });
  opened.defer(() => stopProxy(proxy));
  const closers = opened.move();
  return {
    ...{ url, store },
    async restart(at, signal, pauseMs = 0) {
      const gateway = processes[at];
      if (gateway === undefined) throw new Error(`there is no gateway ${at}`);
      await gateway.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      processes[at] = await start(own[at] ?? 0);
      return (await gateway.gone).code;
    },
    [Symbol.asyncDispose]: () => closers.disposeAsync(),
  };
}

/** Ports that are free now and differ. */
async function findFreePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}

function writeCatalog(folder: string): string {
  const file = join(folder, 'fleet-catalog.json');
  const limits = { context_length: 8_192, max_output_tokens: 2_048 };
  const pricing = { input_per_million: '0', output_per_million: '0', minimum: price };
  const entry = {
    id: model,
    created: 1_700_000_000,
    owned_by: 'alder',
    engine: 'reference',
    ...limits,
    pricing,
  };
  writeFileSync(file, JSON.stringify({ models: [entry] }));
  return file;
}
