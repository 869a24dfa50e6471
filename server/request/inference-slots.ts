import type { Engine, InferenceFault, InferenceLimits } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';
import type { Result } from '../types/result.ts';
import { createLeftInferences } from './left-inferences.ts';

export type SlotLimits = {
  /** The most paid requests of one payer until the end of their inference; null for no limit. */
  readonly payerInferencesMax: number | null;
  /** A payer may run at most this many times as many inferences of a model as the model has free slots; null for no limit. */
  readonly payerSlotsRatioMax: number | null;
  /** The time of inferences that a payer may leave within ten minutes before it runs only one at once; null for no limit. */
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

type PlaceRequest = { readonly model: string; readonly payer: string };

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
 * Bounds the inferences that run at once, of each model and of each payer (D-313). A payer leaves some slots free, so
 * that others need not wait until its inferences end (D-431). While too many wait, a request of a payer with few waiting
 * requests takes the place of one of the payer with the most (D-395).
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

type Waiter = { readonly payer: string; readonly start: () => void; readonly giveUp: () => void };

/** The requests that wait, of all models, in order of arrival. */
type Queue = { readonly waiters: Waiter[]; readonly max: number; readonly waitMs: number };

/** The inferences of one model, or of all models in its pool. */
type ModelSlots = {
  readonly max: () => number;
  running: number;
  readonly ofPayer: Map<string, number>;
  readonly waiters: Waiter[];
};

export function createInferenceSlots(
  limits: SlotLimits,
  poolOf: (model: string) => SlotPool,
  clock: Pick<Clock, 'monotonicMs'>,
): InferenceSlots {
  const { payerInferencesMax, waitingInferencesMax, inferenceWaitMs, inferenceTimeoutMs } = limits;
  const ratioMax = limits.payerSlotsRatioMax ?? Number.POSITIVE_INFINITY;
  const leftInferences = createLeftInferences(limits.leftInferenceMsMax, clock);
  const waitMs = Math.min(inferenceWaitMs, inferenceTimeoutMs / 2);
  const pools = new Map<SlotPool['pool'], ModelSlots>();
  const ofPayer = new Map<string, number>();
  const queue: Queue = { waiters: [], max: waitingInferencesMax, waitMs };
  const mayRun = ({ running, max, ofPayer: runs }: ModelSlots, payer: string) => {
    const own = runs.get(payer) ?? 0;
    const free = max() - running;
    return free > 0 && own < free * ratioMax && (own < 1 || !leftInferences.isTooMuch(payer));
  };
  const startWaiting = (slots: ModelSlots) => startWaiters(slots, mayRun);
  const watchWaiters = createWatch(queue, pools, startWaiting);
  const mayWait = (payer: string) =>
    queue.waiters.length < queue.max || findCrowding(queue.waiters, payer) !== null;

  return {
    enter({ model, payer }) {
      if (payerInferencesMax !== null && (ofPayer.get(payer) ?? 0) >= payerInferencesMax) return 'payer';
      const slots = slotsOf(model);
      if (!mayRun(slots, payer) && !mayWait(payer)) return 'model';
      add(ofPayer, payer, 1);
      return createPlace(slots, payer);
    },
    get waiting() {
      return queue.waiters.length;
    },
  };

  function slotsOf(model: string): ModelSlots {
    const { pool, max: maxNow } = poolOf(model);
    const max = () => maxNow() ?? Number.POSITIVE_INFINITY;
    const slots = pools.get(pool) ?? { max, running: 0, ofPayer: new Map(), waiters: [] };
    pools.set(pool, slots);
    return slots;
  }

  function createPlace(slots: ModelSlots, payer: string): Place {
    let waitedMs = 0;
    let [hasSlot, hasBegun, hasLeft] = [false, false, false];
    let beganMs = 0;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      add(ofPayer, payer, -1);
      if (hasSlot) releaseSlot(payer, slots);
    };
    const end = (how: RunEnd) => {
      if (how !== 'failed') leftInferences.record(payer, clock.monotonicMs() - beganMs, how);
      leave();
    };
    /** The wait counts towards the time of the inference. */
    const begin = (limits: InferenceLimits): InferenceLimits => {
      hasBegun = true;
      beganMs = clock.monotonicMs();
      return { ...limits, client: payer, timeoutMs: Math.max(1, limits.timeoutMs - waitedMs) };
    };
    return {
      async start(left) {
        const began = clock.monotonicMs();
        if (mayRun(slots, payer)) run(slots, payer);
        else {
          watchWaiters();
          if (!mayWait(payer) || !(await waitForTurn(slots, payer, left, queue))) return false;
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

  function releaseSlot(payer: string, slots: ModelSlots): void {
    slots.running--;
    add(slots.ofPayer, payer, -1);
    startWaiting(slots);
  }
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
  payer: string,
  left: AbortSignal,
  { waiters: queue, max, waitMs }: Queue,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isStarted: boolean) => {
      clearTimeout(timer);
      left.removeEventListener('abort', giveUp);
      remove(slots.waiters, waiter);
      remove(queue, waiter);
      if (isStarted) run(slots, payer);
      resolve(isStarted);
    };
    const giveUp = () => end(false);
    const waiter: Waiter = { payer, start: () => end(true), giveUp };
    const timer = setTimeout(giveUp, waitMs);
    if (queue.length >= max) findCrowding(queue, payer)?.giveUp();
    slots.waiters.push(waiter);
    queue.push(waiter);
    left.addEventListener('abort', giveUp);
    if (left.aborted) giveUp();
  });
}

function run(slots: ModelSlots, payer: string): void {
  slots.running++;
  add(slots.ofPayer, payer, 1);
}

function startWaiters(slots: ModelSlots, mayRun: (slots: ModelSlots, payer: string) => boolean): void {
  const findNext = () => nextWaiter(slots, (waiter) => mayRun(slots, waiter.payer));
  for (let next = findNext(); next !== undefined; next = findNext()) next.start();
}

/** The waiter that may run, and whose payer runs the fewest inferences of the model; the first one among equals. */
function nextWaiter(
  { waiters, ofPayer }: ModelSlots,
  mayRun: (waiter: Waiter) => boolean,
): Waiter | undefined {
  const runs = (waiter: Waiter) => ofPayer.get(waiter.payer) ?? 0;
  const [first, ...others] = waiters.filter(mayRun);
  return others.reduce((best, waiter) => (best && runs(waiter) < runs(best) ? waiter : best), first);
}

/**
 * The newest waiter of the payer with the most. Null if this payer would then have more than that one: an exchange of
 * places must not bring the next exchange.
 */
function findCrowding(queue: readonly Waiter[], payer: string): Waiter | null {
  const counts = new Map<string, number>();
  for (const waiter of queue) add(counts, waiter.payer, 1);
  const most = Math.max(0, ...counts.values());
  if (most < (counts.get(payer) ?? 0) + 2) return null;
  return queue.findLast((waiter) => counts.get(waiter.payer) === most) ?? null;
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

type RunEnd = 'completed' | 'left' | 'failed';

function withinSlot(
  engine: Engine,
  begin: (limits: InferenceLimits) => InferenceLimits,
  end: (how: RunEnd) => void,
): Engine {
  return {
    ...engine,
    async infer(task, limits) {
      let how: RunEnd = 'failed';
      try {
        const result = await engine.infer(task, begin(limits));
        how = toRunEnd(result);
        return result;
      } finally {
        end(how);
      }
    },
    async *stream(task, limits) {
      // A reader that stops early ends the stream here.
      let how: RunEnd = 'left';
      try {
        const result = yield* engine.stream(task, begin(limits));
        how = toRunEnd(result);
        return result;
      } catch (cause) {
        how = 'failed';
        throw cause;
      } finally {
        end(how);
      }
    },
  };
}

function toRunEnd(result: Result<unknown, InferenceFault>): RunEnd {
  if (result.ok) return 'completed';
  return result.fault.kind === 'cancelled' ? 'left' : 'failed';
}
