import type { Log } from '../observe/log.ts';
import type { Clock } from '../types/clock.ts';
import type { Bytes32 } from '../types/units.ts';
import type { HttpRpc } from './http-rpc.ts';
import { hasBlock, identify, readNewest } from './probe.ts';

type HealthLimits = {
  /** The gateway does not read from an endpoint that is further than this behind another endpoint. */
  readonly lagBlocksMax: number;
  /** Interval between probes of a healthy endpoint. */
  readonly probeMs: number;
  /** Deadline of a probe. */
  readonly probeTimeoutMs: number;
  /** First pause before the next probe of a failed endpoint. The pause doubles with each failure. */
  readonly pauseMs: number;
  /** Longest pause. After this time of health, the first pause applies again. */
  readonly pauseMsMax: number;
};

export type HealthPorts = {
  readonly rpcs: readonly HttpRpc[];
  readonly chainId: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly limits: HealthLimits;
};

/** One endpoint, named by its place in the settings, because even the host of a URL may hold an account. */
export type Endpoint = { readonly name: string; readonly rpc: HttpRpc };

/** The endpoints that the gateway may call. */
export interface RpcHealth {
  /**
   * Endpoints to read from, the current one first; without those that lag, have failed or serve another chain.
   */
  readable(): readonly Endpoint[];
  /** Endpoints to send to. An endpoint that lags still forwards transactions. */
  sendable(): readonly Endpoint[];
  /** Leaves out an endpoint without a usable response, until a probe in the background succeeds. */
  lose(endpoint: Endpoint, reason: string): void;
  /**
   * Probes all endpoints, for callers without a readable endpoint. Resolves when one is readable, or all
   * failed.
   */
  probeInNeed(): Promise<void>;
  /** Probes each endpoint for the first time. The faults are sentences about endpoints of another chain. */
  start(): Promise<readonly string[]>;
  /** The reason why no endpoint is readable. */
  healthIssue(): string;
  close(): void;
}

type State = Endpoint & {
  /** The reason why the endpoint is left out; null while it is healthy. */
  reason: string | null;
  reported: 'nothing' | 'well' | 'lost' | 'foreign';
  newest: { readonly block: number; readonly at: number } | null;
  behind: number;
  wellSince: number;
  pauseMs: number;
  timer: NodeJS.Timeout | null;
  probing: Promise<void> | null;
};

/** Least time between two calls of `probeInNeed` that probe. In between, the last probe counts. */
const needPauseMs = 500;
/** Age after which the newest block of a failed endpoint no longer shows how far the chain is. */
const newestAgeMsMax = 600_000;

export function createRpcHealth(ports: HealthPorts): RpcHealth {
  const { rpcs, clock, limits } = ports;
  const standings = createStandings(
    ports,
    rpcs.map((rpc, index) => newState(rpc, index, limits)),
    (state) => void probe(state),
  );
  const { states, order, compare, setApart } = standings;
  let genesis: Bytes32 | null = null;
  let need: { readonly at: number; readonly over: Promise<void> } | null = null;
  let rounds: NodeJS.Timeout | null = null;

  return {
    readable: order,
    sendable: () => states.filter(isWell),
    lose(endpoint, reason) {
      const state = states.find((each) => each === endpoint);
      if (state && isWell(state)) setApart(state, reason, 'lost');
    },
    probeInNeed() {
      if (need === null || clock.monotonicMs() - need.at >= needPauseMs) {
        const all = Promise.all(states.map(probe)).then(() => undefined);
        need = { at: clock.monotonicMs(), over: Promise.race([all, standings.untilReadable()]) };
      }
      return need.over;
    },
    async start() {
      // The endpoints are probed in order, so that the first endpoint decides which chain counts.
      for (const state of states) await probe(state);
      for (const state of states) compare(state);
      rounds = setInterval(() => void round(), limits.probeMs).unref();
      return states
        .filter(({ reported }) => reported === 'foreign')
        .map(({ name, reason }) => `${name} ${reason}.`);
    },
    healthIssue: () => describeStates(states),
    close() {
      if (rounds !== null) clearInterval(rounds);
      standings.close();
    },
  };

  async function round(): Promise<void> {
    await Promise.all(states.filter(isWell).map(probe));
    for (const state of states) compare(state);
  }

  function probe(state: State): Promise<void> {
    state.probing ??= probeOnce(state).finally(() => {
      state.probing = null;
    });
    return state.probing;
  }

  async function probeOnce(state: State): Promise<void> {
    const wasWell = isWell(state);
    const identity = wasWell ? null : await identify(state.rpc, limits.probeTimeoutMs);
    const newest = identity?.ok === false ? identity : await readNewest(state.rpc, limits.probeTimeoutMs);
    if (!newest.ok) return setApart(state, newest.fault, 'lost');
    const { block } = newest.value;
    // A higher block counts only if the endpoint has it, because other endpoints are compared with it.
    const isLeap =
      !wasWell || block > highestBeside(state, states, clock.monotonicMs()) + limits.lagBlocksMax;
    if (isLeap && !(await hasBlock(state.rpc, newest.value, limits.probeTimeoutMs)))
      return setApart(state, 'it does not have the block that it calls its newest', 'lost');
    if (identity?.ok) {
      const foreign = foreignness(identity.value, { chainId: ports.chainId, genesis });
      if (foreign !== null) return setApart(state, foreign, 'foreign');
      genesis ??= identity.value.genesis;
    }
    standings.found(state, block, wasWell);
  }
}

/** The state of each endpoint, and the order in which the gateway reads from the healthy ones. */
type Standings = {
  readonly states: readonly State[];
  order(): readonly State[];
  /** Resolves when an endpoint is readable. */
  untilReadable(): Promise<void>;
  setApart(state: State, reason: string, how: 'lost' | 'foreign'): void;
  /** Stores the newest block that a probe found. `wasWell` is the state at the start of the probe. */
  found(state: State, block: number, wasWell: boolean): void;
  /** Decides whether the endpoint lags behind the highest block of another endpoint. */
  compare(state: State): void;
  close(): void;
};

function createStandings(
  { clock, log, limits }: HealthPorts,
  states: readonly State[],
  probeAgain: (state: State) => void,
): Standings {
  let order: readonly State[] = [];
  let isReadable = Promise.withResolvers<void>();
  let isClosed = false;

  return {
    states,
    order: () => order,
    untilReadable: () => isReadable.promise,
    setApart,
    found(state, block, wasWell) {
      if (isClosed) return;
      state.newest = { block, at: clock.monotonicMs() };
      // A call has failed during the probe. That failure is as recent as this probe.
      if (wasWell && !isWell(state)) return;
      if (!wasWell) comeBack(state);
      compare(state);
    },
    compare,
    close() {
      isClosed = true;
      for (const { timer } of states) if (timer !== null) clearTimeout(timer);
    },
  };

  function comeBack(state: State): void {
    state.reason = null;
    if (state.timer !== null) clearTimeout(state.timer);
    state.wellSince = clock.monotonicMs();
    if (state.reported === 'lost' || state.reported === 'foreign') log.info(`${state.name} works again`);
    state.reported = 'well';
  }

  function setApart(state: State, reason: string, how: 'lost' | 'foreign'): void {
    if (isClosed) return;
    const isCalm = isWell(state) && clock.monotonicMs() - state.wellSince >= limits.pauseMsMax;
    state.pauseMs = isCalm ? limits.pauseMs : Math.min(state.pauseMs * 2, limits.pauseMsMax);
    state.reason = reason;
    if (state.reported !== how) {
      if (how === 'lost')
        log.warn({ reason }, `${state.name} failed. The gateway uses other endpoints until it works again.`);
      else log.error(`${state.name} ${reason}. The gateway does not use this endpoint.`);
    }
    state.reported = how;
    if (how === 'foreign') state.newest = null;
    if (state.timer !== null) clearTimeout(state.timer);
    state.timer = setTimeout(() => probeAgain(state), state.pauseMs).unref();
    choose();
  }

  function compare(state: State): void {
    if (!isWell(state) || state.newest === null) return;
    const behind = highestBeside(state, states, clock.monotonicMs()) - state.newest.block;
    const [lagged, lags] = [state.behind > limits.lagBlocksMax, behind > limits.lagBlocksMax];
    state.behind = behind;
    if (lags && !lagged)
      log.warn({ blocks: behind }, `${state.name} lags behind. The gateway does not read from it.`);
    if (lagged && !lags) log.info(`${state.name} has caught up`);
    choose();
  }

  /** Reads stay with the current endpoint if possible, because two replicas are rarely at the same height. */
  function choose(): void {
    const usable = states
      .filter((state) => isWell(state) && state.behind <= limits.lagBlocksMax)
      .toSorted((a, b) => (b.newest?.block ?? 0) - (a.newest?.block ?? 0));
    const [current] = order;
    order =
      current && usable.includes(current)
        ? [current, ...usable.filter((state) => state !== current)]
        : usable;
    if (order.length > 0) isReadable.resolve();
    else if (current) isReadable = Promise.withResolvers();
  }
}

function highestBeside(state: State, states: readonly State[], now: number): number {
  const others = states.filter((other) => other !== state);
  return Math.max(
    0,
    ...others.map(({ newest }) => (newest && now - newest.at <= newestAgeMsMax ? newest.block : 0)),
  );
}

function newState(rpc: HttpRpc, index: number, limits: HealthLimits): State {
  return {
    name: `RPC endpoint ${index + 1}`,
    rpc,
    reason: 'not probed yet',
    reported: 'nothing',
    newest: null,
    behind: 0,
    wellSince: 0,
    pauseMs: limits.pauseMs / 2,
    timer: null,
    probing: null,
  };
}

type Identity = { readonly chainId: number; readonly genesis: Bytes32 | null };

function foreignness(identity: Identity, { chainId, genesis }: Identity): string | null {
  if (identity.chainId !== chainId)
    return `serves chain ${identity.chainId}, and payments are on chain ${chainId}: replace its URL in CHAIN_RPC_URL`;
  if (genesis === null || identity.genesis === null || identity.genesis === genesis) return null;
  return `serves a different chain with the id ${chainId} than the others: replace its URL in CHAIN_RPC_URL`;
}

function describeStates(states: readonly State[]): string {
  const reasons = states.map(({ reason, behind }, index) => {
    return `${index + 1}: ${reason ?? `${behind} blocks behind`}`;
  });
  return `none of the ${states.length} RPC endpoints is usable (${reasons.join('; ')})`;
}

function isWell({ reason }: State): boolean {
  return reason === null;
}
