import type { IncomingMessage, ServerResponse } from 'node:http';
import { createApp } from './http/app.ts';
import type { Cors } from './http/cors.ts';
import type { HeadLimits } from './http/malformed.ts';
import type { Admission } from './http/rate-limit.ts';
import type { BodyLimits } from './http/read-body.ts';
import type { FindSiteRoute } from './http/site-route.ts';
import { createTurnWatch } from './http/turn-watch.ts';
import type { StreamLimits } from './http/write-events.ts';
import type { RequestObserver, RequestTracer } from './observe/observers.ts';
import { createCodelessAccounts } from './payment/codeless-accounts.ts';
import { createDeliveries } from './request/deliveries.ts';
import { createHandlers, type HandlerPorts } from './request/handlers.ts';
import { createInFlight } from './request/in-flight.ts';
import { createInferenceSlots, type SlotLimits } from './request/inference-slots.ts';
import { readLargeInTurns } from './request/large-reads.ts';
import type { WorkResult } from './request/outcome.ts';
import { createCompletionParser } from './request/parse-completion.ts';
import { createCallTurns } from './types/call-turns.ts';
import { createYieldingWaits } from './types/yielding-waits.ts';

/** The external dependencies and the limits of a gateway. */
export type GatewayPorts = Omit<
  HandlerPorts,
  | 'inFlight'
  | 'slots'
  | 'unsettledWaits'
  | 'deliveries'
  | 'codeless'
  | 'walletTurns'
  | 'parseCompletion'
  | 'stopped'
> & {
  readonly limits: SlotLimits;
  readonly bodyLimits: BodyLimits & HeadLimits & StreamLimits;
  readonly cors: Cors;
  readonly isStopping: () => boolean;
  readonly admitAddress: (network: string) => Promise<Admission>;
  readonly admitProbe: (network: string) => Promise<Admission>;
  readonly trustedProxies: number;
  /** The paths of the web page; null or absent without a page. */
  readonly findSiteRoute?: FindSiteRoute | null;
  readonly requestObserver?: RequestObserver | null;
  readonly requestTracer?: RequestTracer | null;
};

/** A gateway without a socket, for tests and for programs that embed it. */
export type Gateway = {
  /** For `http.createServer`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Resolves when every paid request in progress has ended. */
  idle(): Promise<void>;
  /**
   * Stops the models whose completions are owed, and ends their leases, so that another gateway can run them (D-272).
   * Resolves when no work is in progress.
   */
  stopRuns(): Promise<void>;
  /** Writes to the store which responses were sent. Call it when no connection is open any more. */
  writeDeliveries(): Promise<void>;
};

/**
 * The longest turn of the event loop in which a full gateway still looks at each payment. The settlement of a batch takes
 * about fifteen turns, so longer ones would slow it, and places would become free later.
 */
const fullTurnMsMax = 10;

/** Wallets that the gateway asks at once. The other connections to the node stay free for purchases (D-227). */
const walletCallsMax = 8;

/** Connects handlers and HTTP. Every dependency is open already. */
export function createGateway(ports: GatewayPorts): Gateway {
  const inFlight = createInFlight<WorkResult>();
  const stopping = new AbortController();
  const deliveries = createDeliveries(ports);
  const codeless = createCodelessAccounts(ports.clock);
  const nowMs = () => ports.clock.monotonicMs();
  const walletTurns = createCallTurns(walletCallsMax, nowMs);
  const poolOf = (model: string) => ports.models.get(model)?.slots ?? { pool: model, max: () => null };
  const turns = createTurnWatch(nowMs);
  const slots = createInferenceSlots(ports.limits, poolOf, ports.clock);
  const parser = createCompletionParser();
  const listener = createApp({
    handlers: createHandlers({
      ...ports,
      store: readLargeInTurns(ports.store, parser.isFull),
      parseCompletion: parser.parse,
      unsettledWaits: createYieldingWaits(),
      ...{ inFlight, slots, deliveries, codeless, walletTurns, stopped: stopping.signal },
    }),
    log: ports.log,
    limits: ports.bodyLimits,
    cors: ports.cors,
    isStopping: ports.isStopping,
    isSwamped: () => inFlight.size >= ports.limits.concurrentInferencesMax && turns.lastMs() > fullTurnMsMax,
    admitAddress: ports.admitAddress,
    admitProbe: ports.admitProbe,
    trustedProxies: ports.trustedProxies,
    findSiteRoute: ports.findSiteRoute ?? null,
    requestObserver: ports.requestObserver ?? null,
    requestTracer: ports.requestTracer ?? null,
  });
  return {
    listener,
    idle: () => inFlight.idle(),
    stopRuns() {
      stopping.abort();
      return inFlight.idle();
    },
    writeDeliveries: () => deliveries.flush(),
  };
}
