import type { Log } from '../observe/log.ts';
import type { Clock } from '../types/clock.ts';
import type { Bytes32 } from '../types/units.ts';
import type { HttpRpc } from './http-rpc.ts';
import { hasBlock, identify, readNewest } from './look.ts';

type HealthLimits = {
  /** An endpoint whose newest block is further than this behind that of another is not read from. */
  readonly lagBlocksMax: number;
  /** How often each endpoint that is well is looked at. */
  readonly probeMs: number;
  /** How long a look may take. */
  readonly probeTimeoutMs: number;
  /** First pause before an endpoint that was lost is looked at again; it doubles, */
  readonly pauseMs: number;
  /** up to this. An endpoint that stays well for so long begins anew. */
  readonly pauseMsMax: number;
};

export type HealthPorts = {
  readonly rpcs: readonly HttpRpc[];
  readonly chainId: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly limits: HealthLimits;
};

/** One endpoint, by its place in the settings: a URL may hold an account even in its host. */
export type Endpoint = { readonly name: string; readonly rpc: HttpRpc };

/** Which endpoints may be asked. */
export interface RpcHealth {
  /** Those to read from, the one that reads stay with first: none twice, none that lags, is lost or serves another chain. */
  readable(): readonly Endpoint[];
  /** Those to send to: a node that lags passes a transaction on all the same. */
  sendable(): readonly Endpoint[];
  /** Leaves out an endpoint that gave no answer. Callers ask others until a probe in the background finds it well. */
  lose(endpoint: Endpoint, reason: string): void;
  /** Looks at all of them at once, for callers that have nobody to ask; over when one may be read from, or none can. */
  probeInNeed(): Promise<void>;
  /** Looks at each for the first time. Faults are sentences about endpoints of another chain. */
  start(): Promise<readonly string[]>;
  /** Why there is nothing to read from. */
  healthIssue(): string;
  close(): void;
}

type State = Endpoint & {
  /** Why it is left out; null while it is well. */
  reason: string | null;
  told: 'nothing' | 'well' | 'lost' | 'foreign';
  newest: { readonly block: number; readonly at: number } | null;
  behind: number;
  wellSince: number;
  pauseMs: number;
  timer: NodeJS.Timeout | null;
  looking: Promise<void> | null;
};

/** Callers in need have all endpoints looked at no more often than this; in between the last look counts. */
const needPauseMs = 500;
/** An endpoint that has been lost for so long no longer says how far the chain is. */
const newestAgeMsMax = 600_000;

export function createRpcHealth(ports: HealthPorts): RpcHealth {
  const { rpcs, clock, limits } = ports;
  const standings = createStandings(
    ports,
    rpcs.map((rpc, index) => newState(rpc, index, limits)),
    (state) => void look(state),
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
        const all = Promise.all(states.map(look)).then(() => undefined);
        need = { at: clock.monotonicMs(), over: Promise.race([all, standings.untilReadable()]) };
      }
      return need.over;
    },
    async start() {
      // One after the other, so that of two chains it is the first endpoint's that counts.
      for (const state of states) await look(state);
      for (const state of states) compare(state);
      rounds = setInterval(() => void round(), limits.probeMs).unref();
      return states.filter(({ told }) => told === 'foreign').map(({ name, reason }) => `${name} ${reason}.`);
    },
    healthIssue: () => sentenceOf(states),
    close() {
      if (rounds !== null) clearInterval(rounds);
      standings.close();
    },
  };

  async function round(): Promise<void> {
    await Promise.all(states.filter(isWell).map(look));
    for (const state of states) compare(state);
  }

  function look(state: State): Promise<void> {
    state.looking ??= probeOnce(state).finally(() => {
      state.looking = null;
    });
    return state.looking;
  }

  async function probeOnce(state: State): Promise<void> {
    const wasWell = isWell(state);
    const identity = wasWell ? null : await identify(state.rpc, limits.probeTimeoutMs);
    const newest = identity?.ok === false ? identity : await readNewest(state.rpc, limits.probeTimeoutMs);
    if (!newest.ok) return setApart(state, newest.fault, 'lost');
    const { block } = newest.value;
    // Only what it can show counts: others are judged by the highest block.
    const isLeap =
      !wasWell || block > highestBeside(state, states, clock.monotonicMs()) + limits.lagBlocksMax;
    if (isLeap && !(await hasBlock(state.rpc, newest.value, limits.probeTimeoutMs)))
      return setApart(state, 'it tells of a newest block that it does not have', 'lost');
    if (identity?.ok) {
      const foreign = foreignness(identity.value, { chainId: ports.chainId, genesis });
      if (foreign !== null) return setApart(state, foreign, 'foreign');
      genesis ??= identity.value.genesis;
    }
    standings.found(state, block, wasWell);
  }
}

/** How each endpoint stands, and in which order those that are well are read from. */
type Standings = {
  readonly states: readonly State[];
  order(): readonly State[];
  /** Resolves when one may be read from. */
  untilReadable(): Promise<void>;
  setApart(state: State, reason: string, how: 'lost' | 'foreign'): void;
  /** A look has found this newest block; `wasWell` when the look began. */
  found(state: State, block: number, wasWell: boolean): void;
  /** Whether it lags, by the highest block that another told of. */
  compare(state: State): void;
  close(): void;
};

function createStandings(
  { clock, log, limits }: HealthPorts,
  states: readonly State[],
  lookAgain: (state: State) => void,
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
      // Lost meanwhile to a caller: that one's word is as new as this look.
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
    if (state.told === 'lost' || state.told === 'foreign') log.info(`${state.name} is back`);
    state.told = 'well';
  }

  function setApart(state: State, reason: string, how: 'lost' | 'foreign'): void {
    if (isClosed) return;
    const isCalm = isWell(state) && clock.monotonicMs() - state.wellSince >= limits.pauseMsMax;
    state.pauseMs = isCalm ? limits.pauseMs : Math.min(state.pauseMs * 2, limits.pauseMsMax);
    state.reason = reason;
    if (state.told !== how) {
      if (how === 'lost') log.warn({ reason }, `${state.name} is lost; others are asked until it is back`);
      else log.error(`${state.name} ${reason}; it is not used`);
    }
    state.told = how;
    if (how === 'foreign') state.newest = null;
    if (state.timer !== null) clearTimeout(state.timer);
    state.timer = setTimeout(() => lookAgain(state), state.pauseMs).unref();
    choose();
  }

  function compare(state: State): void {
    if (!isWell(state) || state.newest === null) return;
    const behind = highestBeside(state, states, clock.monotonicMs()) - state.newest.block;
    const [lagged, lags] = [state.behind > limits.lagBlocksMax, behind > limits.lagBlocksMax];
    state.behind = behind;
    if (lags && !lagged) log.warn({ blocks: behind }, `${state.name} lags behind; it is not read from`);
    if (lagged && !lags) log.info(`${state.name} has caught up`);
    choose();
  }

  /** Reads stay where they are for as long as they can: two replicas are hardly ever at the same height. */
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
    reason: 'not looked at yet',
    told: 'nothing',
    newest: null,
    behind: 0,
    wellSince: 0,
    pauseMs: limits.pauseMs / 2,
    timer: null,
    looking: null,
  };
}

type Identity = { readonly chainId: number; readonly genesis: Bytes32 | null };

function foreignness(identity: Identity, { chainId, genesis }: Identity): string | null {
  if (identity.chainId !== chainId)
    return `serves chain ${identity.chainId}, but chain ${chainId} is configured: change the RPC URL or the chain id`;
  if (genesis === null || identity.genesis === null || identity.genesis === genesis) return null;
  return `serves another chain of the id ${chainId} than the others: change its URL`;
}

function sentenceOf(states: readonly State[]): string {
  const reasons = states.map(({ reason, behind }, index) => {
    return `${index + 1}: ${reason ?? `${behind} blocks behind`}`;
  });
  return `none of the ${states.length} RPC endpoints can be read from (${reasons.join('; ')})`;
}

function isWell({ reason }: State): boolean {
  return reason === null;
}
