import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Clock } from '../types/clock.ts';
import { type AdminAddress, openAdminServer } from './admin-server.ts';
import { createInstruments } from './instruments.ts';
import { observeEngine } from './observe-engine.ts';
import { observeLog } from './observe-log.ts';
import { observeRequests } from './observe-requests.ts';
import { observeRpc } from './observe-rpc.ts';
import { observeSettlement } from './observe-settlement.ts';
import { observeStore } from './observe-store.ts';
import { createScrape } from './scrape.ts';
import { noTelemetry, type Telemetry } from './telemetry.ts';

export type MetricsOptions = {
  readonly address: AdminAddress;
  readonly clock: Clock;
  readonly info: {
    readonly version: string;
    readonly chain_id: string;
    readonly settled_by: 'relayers' | 'facilitator';
    readonly store: 'sqlite' | 'postgres';
  };
};

export type OpenMetrics = Telemetry & { close(): Promise<void> };

/** Opens the admin address, and measures a gateway. Rejects if the address cannot be bound. */
export async function openMetrics({ address, clock, info }: MetricsOptions): Promise<OpenMetrics> {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  const ports = { instruments, clock };
  instruments.paid_inference_info.set(info, 1);
  let scrape: () => Promise<void> = async () => undefined;
  const requests = observeRequests(instruments);
  const server = await openAdminServer(address, async () => {
    await scrape();
    requests.flush();
    return { contentType: registry.contentType, text: await registry.metrics() };
  });
  collectDefaultMetrics({ register: registry });
  return {
    ...noTelemetry,
    adminUrl: server.url,
    servePages: (find) => server.serve(find),
    requestObserver: requests.observer,
    settlementObserver: observeSettlement(instruments),
    wrapLog: (log) => observeLog(log, instruments),
    wrapStore: (store) => observeStore(store, ports),
    wrapEngine: (engine, model) => observeEngine(engine, model, ports),
    wrapRpc: (rpc, endpoint) => observeRpc(rpc, endpoint, ports),
    watch(state) {
      scrape = createScrape(state, ports);
    },
    async close() {
      await server.close();
      registry.clear();
    },
  };
}
