import type { Engine, InferenceLimits } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';

export type SlotLimits = {
  /** The most inferences of one payer that run or wait; null for no limit. */
  readonly payerInferencesMax: number | null;
  /** The most requests that wait for a slot of their model, for all models together. */
  readonly waitingInferencesMax: number;
  /** How long a request waits, and at most half of the time of its inference. */
  readonly inferenceWaitMs: number;
  readonly inferenceTimeoutMs: number;
};

/** The limit that was reached. */
export type Full = 'payer' | 'model';

type SlotRequest = { readonly model: string; readonly payer: string };

/** The right to run one inference. */
type Slot = {
  /** Runs a task of the engine within the slot, and gives the slot back when the task has ended. */
  within(engine: Engine): Engine;
  /** Gives the slot back, unless a task has begun within it. */
  release(): void;
};

/** Bounds the inferences that run at once, of each model and of each payer (D-313). */
export type InferenceSlots = {
  /**
   * Takes a slot before anything is reserved or charged. Waits if all slots of the model are taken. Returns the limit
   * if the payer has no slot left, if too many wait, if the wait is too long, or if `left` aborts.
   */
  take(request: SlotRequest, left: AbortSignal): Promise<Slot | Full>;
  /** How many requests wait. */
  readonly waiting: number;
};

type Waiter = { readonly payer: string; readonly start: () => void };

/** The inferences of one model. */
type ModelSlots = { running: number; readonly ofPayer: Map<string, number>; readonly waiters: Waiter[] };

export function createInferenceSlots(
  { payerInferencesMax, waitingInferencesMax, inferenceWaitMs, inferenceTimeoutMs }: SlotLimits,
  modelMaxOf: (model: string) => number | null,
  clock: Pick<Clock, 'monotonicMs'>,
): InferenceSlots {
  const waitMs = Math.min(inferenceWaitMs, inferenceTimeoutMs / 2);
  const models = new Map<string, ModelSlots>();
  /** Inferences that run or wait. */
  const ofPayer = new Map<string, number>();
  let waiting = 0;

  return {
    async take(request, left) {
      const { model, payer } = request;
      if (payerInferencesMax !== null && (ofPayer.get(payer) ?? 0) >= payerInferencesMax) return 'payer';
      const slots = models.get(model) ?? { running: 0, ofPayer: new Map(), waiters: [] };
      models.set(model, slots);
      const isFree = slots.running < (modelMaxOf(model) ?? Number.POSITIVE_INFINITY);
      if (!isFree && waiting >= waitingInferencesMax) return 'model';
      const began = clock.monotonicMs();
      add(ofPayer, payer, 1);
      if (isFree) start(slots, payer);
      else if (!(await waitForTurn(slots, payer, left))) {
        add(ofPayer, payer, -1);
        return 'model';
      }
      return createSlot(clock.monotonicMs() - began, () => giveBack(request, slots));
    },
    get waiting() {
      return waiting;
    },
  };

  function start(slots: ModelSlots, payer: string): void {
    slots.running++;
    add(slots.ofPayer, payer, 1);
  }

  /** Resolves true once the slot is taken, and false after the wait. */
  function waitForTurn(slots: ModelSlots, payer: string, left: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isStarted: boolean) => {
        clearTimeout(timer);
        left.removeEventListener('abort', giveUp);
        slots.waiters.splice(slots.waiters.indexOf(waiter), 1);
        waiting--;
        if (isStarted) start(slots, payer);
        resolve(isStarted);
      };
      const giveUp = () => end(false);
      const waiter: Waiter = { payer, start: () => end(true) };
      const timer = setTimeout(giveUp, waitMs);
      slots.waiters.push(waiter);
      waiting++;
      left.addEventListener('abort', giveUp);
      if (left.aborted) giveUp();
    });
  }

  function giveBack({ model, payer }: SlotRequest, slots: ModelSlots): void {
    slots.running--;
    add(slots.ofPayer, payer, -1);
    add(ofPayer, payer, -1);
    nextWaiter(slots)?.start();
    if (slots.running === 0) models.delete(model);
  }
}

/** The waiter whose payer runs the fewest inferences of the model; the first one among equals. */
function nextWaiter({ waiters, ofPayer }: ModelSlots): Waiter | undefined {
  const runs = (waiter: Waiter) => ofPayer.get(waiter.payer) ?? 0;
  const [first, ...others] = waiters;
  return others.reduce((best, waiter) => (best && runs(waiter) < runs(best) ? waiter : best), first);
}

/** Counts, without an entry for a count of 0. */
function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

/** `waitedMs` counts towards the time of the inference. */
function createSlot(waitedMs: number, giveBack: () => void): Slot {
  let hasBegun = false;
  let isGivenBack = false;
  const end = () => {
    if (isGivenBack) return;
    isGivenBack = true;
    giveBack();
  };
  const begin = (limits: InferenceLimits): InferenceLimits => {
    hasBegun = true;
    return { ...limits, timeoutMs: Math.max(1, limits.timeoutMs - waitedMs) };
  };
  return {
    within: (engine) => ({
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
    }),
    release() {
      if (!hasBegun) end();
    },
  };
}
