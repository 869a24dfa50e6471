import type { Buyers } from './buyers.ts';
import type { Chain, ChainOptions } from './chain.ts';
import type { FaultyNode } from './faulty-node.ts';
import type { GatewayOptions, GatewayProcess } from './gateway-process.ts';
import type { FaultStore, StoreKind } from './store.ts';
import type { Upstream } from './upstream.ts';

/**
 * One fault against real processes, and what must be true after it.
 *
 * To add one: write it into the file of its group (or a new file, and name that in `all.ts`). `run` gets a fresh `ScenarioContext`: a
 * chain, a node in front of it that misbehaves by `context.node.rule`, an upstream that obeys `context.upstream.conduct`, an empty
 * store, and a funded payer. In `run`
 *
 * 1. start gateways with `await context.start()` (settings that differ go in there),
 * 2. sign with `await context.buyers.sign()`, send with `context.buyers.send(url, payment)`, break things,
 * 3. say what must hold with `context.check(isTrue, 'sentence of what is wrong')`.
 *
 * Then, unless `run` did it itself with `context.recover()`, everything that was broken is mended, a gateway is started if none
 * runs, every buyer without a final word sends the same payment again until there is one, and the audit (`audit.ts`)
 * compares what buyers saw with the store and with the chain, to the unit. It needs no help: a scenario only says what the
 * audit cannot know, such as who ought to have been served. Choices come from `context.random`, never from elsewhere, so that
 * a seed means the same run. A limit of what a scenario shows goes into `limit`, and is printed.
 */
export type Scenario = {
  readonly group: string;
  /** The fault, as the table has it. Unique. */
  readonly name: string;
  readonly store: StoreKind;
  /** Runs within `npm test` too, under this sentence of the contract or decision; absent for those that take long. */
  readonly fast?: string;
  /** Takes the machine, or the PostgreSQL server, for itself. */
  readonly alone?: boolean;
  readonly chain?: ChainOptions;
  /** How long recovery may take, if longer than usual. */
  readonly recoveryMs?: number;
  /** What it does not show. */
  readonly limit?: string;
  run(context: ScenarioContext): Promise<void>;
};

/** What came of it. */
export type Findings = {
  readonly scenario: Scenario;
  readonly clientSaw: string;
  readonly storeSays: string;
  readonly chainSays: string;
  /** Nothing in it: the verdict is good. */
  readonly faults: readonly string[];
  readonly tookMs: number;
  /** The last lines that gateways wrote, where something is wrong. */
  readonly log: string;
};

/** Everything that one scenario plays in. Nothing of it is shared but the PostgreSQL server. */
export type ScenarioContext = {
  /** From 0 to 1, the same for the same seed. */
  readonly random: () => number;
  readonly chain: Chain;
  readonly node: FaultyNode;
  readonly upstream: Upstream;
  readonly store: FaultStore;
  readonly buyers: Buyers;
  /** Those that were started, dead ones too. */
  readonly gateways: readonly GatewayProcess[];
  readonly faults: readonly string[];
  /** Starts a gateway on the chain behind the node, on the upstream and on the store. */
  start(options?: GatewayOptions): Promise<GatewayProcess>;
  /** Where a gateway answers that runs; nowhere when none does. */
  anyUrl(): string;
  /** What was measured, for the table. */
  readonly notes: readonly string[];
  note(measured: string): void;
  /** Says what is wrong unless it is true. */
  check(isTrue: boolean, otherwise: string): void;
  /** Waits until it is so; what is wrong is said where it does not come to be in time. */
  until(isSo: () => boolean | Promise<boolean>, otherwise: string, withinMs?: number): Promise<boolean>;
  /** Mends everything, and lets every buyer ask to the end. Once; called again it does nothing. */
  recover(): Promise<void>;
  /** Recovers, and checks that every buyer got an answer in the end. */
  everybodyIsServed(): Promise<void>;
  close(): Promise<void>;
};
