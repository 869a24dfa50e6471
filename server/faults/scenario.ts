import type { Buyers } from './buyers.ts';
import type { Chain, ChainOptions } from './chain.ts';
import type { FaultyNode } from './faulty-node.ts';
import type { GatewayOptions, GatewayProcess } from './gateway-process.ts';
import type { FaultStore, StoreKind } from './store.ts';
import type { Upstream } from './upstream.ts';

/**
 * One fault against real processes, and the checks after it.
 *
 * To add a scenario, write it into the file of its group, or into a new file that `all.ts` names. `run` gets a
 * new `ScenarioContext`: a chain, a node in front of it that follows `context.node.rule`, an upstream that
 * follows `context.upstream.conduct`, an empty store, and a funded payer. In `run`
 *
 * 1. start gateways with `await context.start()`, which also takes settings,
 * 2. sign with `await context.buyers.sign()`, send with `context.buyers.send(url, payment)`, and break things,
 * 3. check with `context.check(isTrue, 'sentence about the fault')`.
 *
 * Afterwards, unless `run` called `context.recover()`, all faults end, a gateway is started if none runs, and
 * each buyer without a final response sends the same payment again. The audit (`audit.ts`) then compares the
 * buyers' results with store and chain, to the unit. A scenario checks only what the audit cannot know, such as
 * which buyers must be served. All random choices come from `context.random`, so that a seed repeats a run.
 * `limit` names what a scenario does not show; the table prints it.
 */
export type Scenario = {
  readonly group: string;
  /** The fault, as in the table. Unique. */
  readonly name: string;
  readonly store: StoreKind;
  /** Also runs in `npm test`, under this title. Absent for slow scenarios. */
  readonly fast?: string;
  /** Needs the machine, or the PostgreSQL server, for itself. */
  readonly alone?: boolean;
  readonly chain?: ChainOptions;
  /** How many upstreams run the model; 1 when left out. */
  readonly upstreams?: number;
  /** The longest recovery, if longer than usual. */
  readonly recoveryMs?: number;
  /** The limits of the scenario: faults that it does not show. */
  readonly limit?: string;
  run(context: ScenarioContext): Promise<void>;
};

/** The result of a scenario. */
export type Findings = {
  readonly scenario: Scenario;
  readonly clientSaw: string;
  readonly storeSays: string;
  readonly chainSays: string;
  /** Empty when the verdict holds. */
  readonly faults: readonly string[];
  readonly tookMs: number;
  /** The last log lines of the gateways. */
  readonly log: string;
};

/** The context of one scenario. Scenarios share only the PostgreSQL server. */
export type ScenarioContext = {
  /** Random numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number;
  readonly chain: Chain;
  readonly node: FaultyNode;
  /** The first upstream, and for most scenarios the only one. */
  readonly upstream: Upstream;
  /** All upstreams of the model, with equal weights. */
  readonly upstreams: readonly Upstream[];
  readonly store: FaultStore;
  readonly buyers: Buyers;
  /** All started gateways, also those that ended. */
  readonly gateways: readonly GatewayProcess[];
  readonly faults: readonly string[];
  /** Starts a gateway with the node, the upstream and the store. */
  start(options?: GatewayOptions): Promise<GatewayProcess>;
  /** The chat URL of a running gateway, or a URL without a server. */
  anyUrl(): string;
  /** Measured values for the table. */
  readonly notes: readonly string[];
  note(measured: string): void;
  /** Adds a fault unless the condition is true. */
  check(isTrue: boolean, otherwise: string): void;
  /** Waits for a condition, and adds a fault when it is not true in time. */
  until(isSo: () => boolean | Promise<boolean>, otherwise: string, withinMs?: number): Promise<boolean>;
  /** Ends all faults and lets each buyer retry to the end. Works once. */
  recover(): Promise<void>;
  /** Recovers and checks that each buyer got a completion. */
  checkAllServed(): Promise<void>;
  close(): Promise<void>;
};
