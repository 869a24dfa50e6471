import type { Engine, InferenceLimits } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';

export type SlotLimits = {
  /** The most paid requests of one payer until the end of their inference; null for no limit. */
  readonly payerInferencesMax: number | null;
  /** The most requests that wait for a slot of their model, for all models together. */
  readonly waitingInferencesMax: number;
  /** How long a request waits, and at most half of the time of its inference. */
  readonly inferenceWaitMs: number;
  readonly inferenceTimeoutMs: number;
};

/** The limit that was reached. */
export type Full = 'payer' | 'model';

type PlaceRequest = { readonly model: string; readonly payer: string };

/** A paid request on its way to an inference. */
export type Place = {
  /**
   * Takes a slot of the model, and waits for one if all are taken. False if too many wait, the wait is too long, another
   * payer gets its place among those that wait, or `left` aborts. Call it once the payment is reserved: a payer without
   * funds must not take slots from others.
   */
  start(left: AbortSignal): Promise<boolean>;
  /** Runs one task of the engine within the slot. The end of the task releases the slot and the place. */
  within(engine: Engine): Engine;
  /** Gives slot and place back, unless a task has begun. */
  leave(): void;
};

/**
 * Bounds the inferences that run at once, of each model and of each payer (D-313). While too many wait, a request of a
 * payer with few waiting requests takes the place of one of the payer with the most (D-395).
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

type Waiter = { readonly payer: string; readonly start: () => void; readonly giveUp: () => void };

/** The inferences of one model. */
type ModelSlots = {
  readonly max: number;
  running: number;
  readonly ofPayer: Map<string, number>;
  readonly waiters: Waiter[];
};

export function createInferenceSlots(
  { payerInferencesMax, waitingInferencesMax, inferenceWaitMs, inferenceTimeoutMs }: SlotLimits,
  modelMaxOf: (model: string) => number | null,
  clock: Pick<Clock, 'monotonicMs'>,
): InferenceSlots {
  const waitMs = Math.min(inferenceWaitMs, inferenceTimeoutMs / 2);
  const models = new Map<string, ModelSlots>();
  const ofPayer = new Map<string, number>();
  /** The requests that wait, of all models, in order of arrival. */
  const queue: Waiter[] = [];
  const isFull = ({ running, max }: ModelSlots) => running >= max;
  const mayWait = (payer: string) =>
    queue.length < waitingInferencesMax || findCrowding(queue, payer) !== null;

  return {
    enter({ model, payer }) {
      if (payerInferencesMax !== null && (ofPayer.get(payer) ?? 0) >= payerInferencesMax) return 'payer';
      const slots = slotsOf(model);
      if (isFull(slots) && !mayWait(payer)) return 'model';
      add(ofPayer, payer, 1);
      return createPlace(slots, payer);
    },
    get waiting() {
      return queue.length;
    },
  };

  function slotsOf(model: string): ModelSlots {
    const max = modelMaxOf(model) ?? Number.POSITIVE_INFINITY;
    const slots = models.get(model) ?? { max, running: 0, ofPayer: new Map(), waiters: [] };
    models.set(model, slots);
    return slots;
  }

  function createPlace(slots: ModelSlots, payer: string): Place {
    let waitedMs = 0;
    let [hasSlot, hasBegun, hasLeft] = [false, false, false];
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      add(ofPayer, payer, -1);
      if (hasSlot) releaseSlot(slots, payer);
    };
    /** The wait counts towards the time of the inference. */
    const begin = (limits: InferenceLimits): InferenceLimits => {
      hasBegun = true;
      return { ...limits, client: payer, timeoutMs: Math.max(1, limits.timeoutMs - waitedMs) };
    };
    return {
      async start(left) {
        const began = clock.monotonicMs();
        if (!isFull(slots)) run(slots, payer);
        else if (!mayWait(payer) || !(await waitForTurn(slots, payer, left))) return false;
        waitedMs = clock.monotonicMs() - began;
        hasSlot = true;
        return true;
      },
      within: (engine) => withinSlot(engine, begin, leave),
      leave() {
        if (!hasBegun) leave();
      },
    };
  }

  /** Resolves true once the slot is taken, and false after the wait. */
  function waitForTurn(slots: ModelSlots, payer: string, left: AbortSignal): Promise<boolean> {
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
      if (queue.length >= waitingInferencesMax) findCrowding(queue, payer)?.giveUp();
      slots.waiters.push(waiter);
      queue.push(waiter);
      left.addEventListener('abort', giveUp);
      if (left.aborted) giveUp();
    });
  }
}

function run(slots: ModelSlots, payer: string): void {
  slots.running++;
  add(slots.ofPayer, payer, 1);
}

function releaseSlot(slots: ModelSlots, payer: string): void {
  slots.running--;
  add(slots.ofPayer, payer, -1);
  nextWaiter(slots)?.start();
}

/** The waiter whose payer runs the fewest inferences of the model; the first one among equals. */
function nextWaiter({ waiters, ofPayer }: ModelSlots): Waiter | undefined {
  const runs = (waiter: Waiter) => ofPayer.get(waiter.payer) ?? 0;
  const [first, ...others] = waiters;
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

function withinSlot(
  engine: Engine,
  begin: (limits: InferenceLimits) => InferenceLimits,
  end: () => void,
): Engine {
  return {
    ...engine,
    async infer(task, limits) {
      try {
        return await engine.infer(task, begin(limits));
      } finally {
        end();
      }
    },
    async *stream(task, limits) {
      try {
        return yield* engine.stream(task, begin(limits));
      } finally {
        end();
      }
    },
  };
}
