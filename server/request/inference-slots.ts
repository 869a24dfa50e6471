import type { Engine, InferenceLimits } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';
import { createLeftInferences, type LeftInferences } from './left-inferences.ts';
import { type RunEnd, withinSlot } from './within-slot.ts';

export type SlotLimits = {
  /** The most paid requests of one payer until the end of their inference; null for no limit. */
  readonly payerInferencesMax: number | null;
  /**
   * A payer, or the strangers of a site, may run at most this many times as many inferences of a model as the model has free
   * slots; null for no limit.
   */
  readonly payerSlotsRatioMax: number | null;
  /**
   * The time of inferences that a payer, or the strangers of a site, may leave within ten minutes before they run only one at
   * once; null for no limit.
   */
  readonly leftInferenceMsMax: number | null;
  /** The most requests that wait for a slot of their model, for all models together. */
  readonly waitingInferencesMax: number;
  /** How long a request waits, and at most half of the time of its inference. */
  readonly inferenceWaitMs: number;
  readonly inferenceTimeoutMs: number;
};

/** The slots of a model. Models with the same `pool` share them. */
export type SlotPool = {
  readonly pool: object | string;
  /** How many inferences may run at once now; null for no limit. */
  max(): number | null;
};

/** The limit that was reached. */
export type Full = 'payer' | 'model';

/** `site` is that of the client (D-224): a client may have a payer for each payment. */
type PlaceRequest = { readonly model: string; readonly payer: string; readonly site: string };

/**
 * The names under which the inferences of a request count: first its site, then its payer. A payer who completed no more than
 * it left is a stranger, and the strangers of a site count together.
 */
type Shares = readonly [site: string, payer: string, ...strangers: string[]];

/** A paid request on its way to an inference. */
export type Place = {
  /**
   * Takes a slot of the model, and waits for one if all are taken, or its payer has too many of them. False if too many
   * wait, the wait is too long, another payer gets its place among those that wait, or `left` aborts. Call it once the
   * payment is reserved: a payer without funds must not take slots from others.
   */
  start(left: AbortSignal): Promise<boolean>;
  /** Runs one task of the engine within the slot. The end of the task releases the slot and the place. */
  within(engine: Engine): Engine;
  /** Gives slot and place back, unless a task has begun. */
  leave(): void;
};

/**
 * Bounds the inferences that run at once, of each model and of each payer (D-313). A payer, and the strangers of a site,
 * leave some slots free, so that others need not wait until their inferences end (D-431). While too many wait, a request of
 * a site with few waiting requests takes the place of one of the site with the most. Within a site, the same goes for payers
 * (D-395).
 */
export type InferenceSlots = {
  /**
   * Takes a place before anything is reserved or charged. Returns the limit if the payer has no place left, or if the
   * model has no slot and the request may not wait for one.
   */
  enter(request: PlaceRequest): Place | Full;
  /** How many requests wait for a slot. */
  readonly waiting: number;
};

/** How often the requests that wait are looked at, besides the end of each inference. */
const watchMs = 500;

type Waiter = { readonly shares: Shares; readonly start: () => void; readonly giveUp: () => void };

/** The requests that wait, of all models, in order of arrival. */
type Queue = { readonly waiters: Waiter[]; readonly max: number; readonly waitMs: number };

/** The inferences of one model, or of all models in its pool. */
type ModelSlots = {
  readonly max: () => number;
  running: number;
  readonly runs: Map<string, number>;
  readonly waiters: Waiter[];
};

export function createInferenceSlots(
  limits: SlotLimits,
  poolOf: (model: string) => SlotPool,
  clock: Pick<Clock, 'monotonicMs'>,
): InferenceSlots {
  const { payerInferencesMax, waitingInferencesMax, inferenceWaitMs, inferenceTimeoutMs } = limits;
  const leftInferences = createLeftInferences(limits.leftInferenceMsMax, clock);
  const waitMs = Math.min(inferenceWaitMs, inferenceTimeoutMs / 2);
  const pools = new Map<SlotPool['pool'], ModelSlots>();
  const ofPayer = new Map<string, number>();
  const queue: Queue = { waiters: [], max: waitingInferencesMax, waitMs };
  const mayRun = createRule(limits, leftInferences);
  const startWaiting = (slots: ModelSlots) => startWaiters(slots, mayRun);
  const watchWaiters = createWatch(queue, pools, startWaiting);
  const mayWait = (shares: Shares) =>
    queue.waiters.length < queue.max || findCrowding(queue.waiters, shares) !== null;

  return {
    enter(request) {
      const { model, payer } = request;
      const shares = listShares(request, leftInferences);
      if (payerInferencesMax !== null && (ofPayer.get(payer) ?? 0) >= payerInferencesMax) return 'payer';
      const slots = slotsOf(model);
      if (!mayRun(slots, shares) && !mayWait(shares)) return 'model';
      add(ofPayer, payer, 1);
      return createPlace(slots, request, shares);
    },
    get waiting() {
      return queue.waiters.length;
    },
  };

  function slotsOf(model: string): ModelSlots {
    const { pool, max: maxNow } = poolOf(model);
    const max = () => maxNow() ?? Number.POSITIVE_INFINITY;
    const slots = pools.get(pool) ?? { max, running: 0, runs: new Map(), waiters: [] };
    pools.set(pool, slots);
    return slots;
  }

  function createPlace(slots: ModelSlots, { payer, site }: PlaceRequest, shares: Shares): Place {
    let waitedMs = 0;
    let [hasSlot, hasBegun, hasLeft] = [false, false, false];
    let beganMs = 0;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      add(ofPayer, payer, -1);
      if (!hasSlot) return;
      release(slots, shares);
      startWaiting(slots);
    };
    const end = (how: RunEnd) => {
      const ms = clock.monotonicMs() - beganMs;
      if (how !== 'failed') for (const share of shares.slice(1)) leftInferences.record(share, ms, how);
      leave();
    };
    /** The wait counts towards the time of the inference. */
    const begin = (limits: InferenceLimits): InferenceLimits => {
      hasBegun = true;
      beganMs = clock.monotonicMs();
      return { ...limits, client: payer, site, timeoutMs: Math.max(1, limits.timeoutMs - waitedMs) };
    };
    return {
      async start(left) {
        const began = clock.monotonicMs();
        if (mayRun(slots, shares)) run(slots, shares);
        else {
          watchWaiters();
          if (!mayWait(shares) || !(await waitForTurn(slots, shares, left, queue))) return false;
        }
        waitedMs = clock.monotonicMs() - began;
        hasSlot = true;
        return true;
      },
      within: (engine) => withinSlot(engine, begin, end),
      leave() {
        if (!hasBegun) leave();
      },
    };
  }
}

/** Whether a request with these shares may take a slot now (D-431). */
function createRule({ payerSlotsRatioMax }: SlotLimits, leftInferences: LeftInferences) {
  const ratioMax = payerSlotsRatioMax ?? Number.POSITIVE_INFINITY;
  return ({ running, max, runs }: ModelSlots, shares: Shares): boolean => {
    const free = max() - running;
    const hasRoom = (share: string) => {
      const own = runs.get(share) ?? 0;
      return own < free * ratioMax && (own < 1 || !leftInferences.isTooMuch(share));
    };
    // Known payers of one site may have all slots: there may be no other site.
    return free > 0 && shares.slice(1).every(hasRoom);
  };
}

function listShares({ payer, site }: PlaceRequest, leftInferences: LeftInferences): Shares {
  const ofPayer = `payer ${payer}`;
  const strangers = leftInferences.isProven(ofPayer) ? [] : [`strangers ${site}`];
  return [`site ${site}`, ofPayer, ...strangers];
}

/**
 * A model may get more slots while requests wait, when an upstream works again. Calls `look` now and then until no request
 * waits.
 */
function createWatch(
  { waiters }: Queue,
  pools: ReadonlyMap<SlotPool['pool'], ModelSlots>,
  look: (slots: ModelSlots) => void,
): () => void {
  let isWatching = false;
  return () => {
    if (isWatching) return;
    isWatching = true;
    const timer = setInterval(() => {
      for (const slots of pools.values()) look(slots);
      isWatching = waiters.length > 0;
      if (!isWatching) clearInterval(timer);
    }, watchMs);
  };
}

/** Resolves true once the slot is taken, and false after the wait. The queue has the requests of all models. */
function waitForTurn(
  slots: ModelSlots,
  shares: Shares,
  left: AbortSignal,
  { waiters: queue, max, waitMs }: Queue,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isStarted: boolean) => {
      clearTimeout(timer);
      left.removeEventListener('abort', giveUp);
      remove(slots.waiters, waiter);
      remove(queue, waiter);
      if (isStarted) run(slots, shares);
      resolve(isStarted);
    };
    const giveUp = () => end(false);
    const waiter: Waiter = { shares, start: () => end(true), giveUp };
    const timer = setTimeout(giveUp, waitMs);
    if (queue.length >= max) findCrowding(queue, shares)?.giveUp();
    slots.waiters.push(waiter);
    queue.push(waiter);
    left.addEventListener('abort', giveUp);
    if (left.aborted) giveUp();
  });
}

function run(slots: ModelSlots, shares: Shares): void {
  slots.running++;
  for (const share of shares) add(slots.runs, share, 1);
}

function release(slots: ModelSlots, shares: Shares): void {
  slots.running--;
  for (const share of shares) add(slots.runs, share, -1);
}

function startWaiters(slots: ModelSlots, mayRun: (slots: ModelSlots, shares: Shares) => boolean): void {
  const findNext = () => nextWaiter(slots, (waiter) => mayRun(slots, waiter.shares));
  for (let next = findNext(); next !== undefined; next = findNext()) next.start();
}

/**
 * The waiter that may run, and whose site runs the fewest inferences of the model; among equals the one whose payer does, and
 * else the first one.
 */
function nextWaiter({ waiters, runs }: ModelSlots, mayRun: (waiter: Waiter) => boolean): Waiter | undefined {
  const precedes = (one: Waiter, other: Waiter) => {
    const [bySite = 0, byPayer = 0] = one.shares.map(
      (share, at) => (runs.get(share) ?? 0) - (runs.get(other.shares[at] ?? share) ?? 0),
    );
    return (bySite || byPayer) < 0;
  };
  const [first, ...others] = waiters.filter(mayRun);
  return others.reduce((best, waiter) => (best && precedes(waiter, best) ? waiter : best), first);
}

/** The waiter that gives its place to a request: of the site with the most, or of the payer with the most in the same site. */
function findCrowding(queue: readonly Waiter[], shares: Shares): Waiter | null {
  const neighbours = queue.filter((waiter) => waiter.shares[0] === shares[0]);
  return newestOfMost(queue, 0, shares) ?? newestOfMost(neighbours, 1, shares);
}

/**
 * The newest waiter of the share with the most. Null if the request's share would then have more than that one: an exchange of
 * places must not bring the next exchange.
 */
function newestOfMost(queue: readonly Waiter[], level: 0 | 1, shares: Shares): Waiter | null {
  const counts = new Map<string, number>();
  for (const waiter of queue) add(counts, waiter.shares[level], 1);
  const most = Math.max(0, ...counts.values());
  if (most < (counts.get(shares[level]) ?? 0) + 2) return null;
  return queue.findLast((waiter) => counts.get(waiter.shares[level]) === most) ?? null;
}

function remove(waiters: Waiter[], waiter: Waiter): void {
  waiters.splice(waiters.indexOf(waiter), 1);
}

/** Counts, without an entry for a count of 0. */
function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
