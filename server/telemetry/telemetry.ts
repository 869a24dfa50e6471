import type { HttpRpc } from '../chain/http-rpc.ts';
import type { Engine } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { RequestObserver, RequestTracer, SettlementObserver } from '../observe/observers.ts';
import type { ReadinessReport } from '../request/handlers.ts';
import type { OpenStore } from '../store/store.ts';
import type { Address } from '../types/units.ts';
import type { FindAdminReply } from './admin-server.ts';
import type { TracedPorts } from './trace-ports.ts';

/** An RPC endpoint, by its chain and its place in the settings, from 1. */
export type EndpointName = { readonly chain: 'payments' | 'proofs'; readonly place: number };

/** The state of an open gateway. Metrics read it at each scrape. */
export type GatewayState = {
  readonly readiness: {
    /** The checks of `GET /ready`. */
    report(): Promise<ReadinessReport>;
    /** Why no new payment for a model is accepted; null if payments are accepted. */
    saleIssue(model: string): Promise<string | null>;
  };
  /** The models in the catalog, by id. */
  readonly models: ReadonlyMap<string, unknown>;
  readonly store: Pick<
    OpenStore,
    'openTotals' | 'owedTotals' | 'backlog' | 'openBatches' | 'parked' | 'waitingElsewhere'
  >;
  /** The chain of the proof ledger. */
  readonly network: { readonly chainId: number; readonly contract: Address };
};

/** Metrics and traces see a gateway only at its ports: they wrap them, and get facts. */
export type Telemetry = {
  /** The URL of the admin address; null without metrics. */
  readonly adminUrl: string | null;
  readonly requestObserver: RequestObserver | null;
  readonly settlementObserver: SettlementObserver | null;
  readonly requestTracer: RequestTracer | null;
  wrapLog(log: Log): Log;
  wrapStore(store: OpenStore): OpenStore;
  wrapEngine(engine: Engine, model: string): Engine;
  wrapRpc(rpc: HttpRpc, endpoint: EndpointName): HttpRpc;
  wrapPorts<Ports extends TracedPorts>(ports: Ports): Ports;
  /** Called once the gateway is open. */
  watch(state: GatewayState): void;
  /** Serves more paths on the admin address; without one, nothing. */
  servePages(find: FindAdminReply): void;
};

/** Sees nothing, and costs nothing. */
export const noTelemetry: Telemetry = {
  adminUrl: null,
  requestObserver: null,
  settlementObserver: null,
  requestTracer: null,
  wrapLog: (log) => log,
  wrapStore: (store) => store,
  wrapEngine: (engine) => engine,
  wrapRpc: (rpc) => rpc,
  wrapPorts: (ports) => ports,
  watch: () => undefined,
  servePages: () => undefined,
};
