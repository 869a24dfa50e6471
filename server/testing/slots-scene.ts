import { afterEach, beforeEach, vi } from 'vitest';
import {
  createInferenceSlots,
  type Full,
  type InferenceSlots,
  type Place,
  type SlotLimits,
  type SlotPool,
} from '../request/inference-slots.ts';
import { type ManualClock, manualClock } from '../types/clock.ts';

/** The signal of a client that does not leave. */
export const stays = new AbortController().signal;

/** Lets promises resolve without time passing. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** For tests: slots, and requests that take them. */
export type SlotsScene = {
  readonly slots: InferenceSlots;
  readonly clock: ManualClock;
  /** Opens slots for a model that runs two inferences at once, and for payers with three, with the changes of a test. */
  open(change?: Partial<SlotLimits>, modelMax?: number | null | SlotPool): void;
  /** A place with a slot, or the limit that was reached. Without `site`, each payer has a site of its own. */
  take(payer?: string, model?: string, left?: AbortSignal, site?: string): Promise<Place | Full>;
  /** A place with a slot. Throws at a limit. */
  taken(payer?: string, model?: string): Promise<Place>;
};

/** Opens slots before each test. With real timers a wait could end during a test. */
export function useSlots(): SlotsScene {
  let clock: ManualClock;
  let slots: InferenceSlots;
  beforeEach(() => {
    vi.useFakeTimers();
    open();
  });
  afterEach(() => void vi.useRealTimers());
  return {
    get slots() {
      return slots;
    },
    get clock() {
      return clock;
    },
    open,
    take,
    async taken(payer, model) {
      const place = await take(payer, model);
      if (typeof place === 'string') throw new Error(`the ${place} is full`);
      return place;
    },
  };

  function open(change: Partial<SlotLimits> = {}, modelMax: number | null | SlotPool = 2): void {
    clock = manualClock(1_800_000_000);
    const limits = {
      payerInferencesMax: 3,
      payerSlotsRatioMax: null,
      leftInferenceMsMax: null,
      waitingInferencesMax: 4,
      inferenceWaitMs: 1_000,
      inferenceTimeoutMs: 60_000,
      ...change,
    };
    const isNumber = typeof modelMax === 'number' || modelMax === null;
    const poolOf = (model: string) => (isNumber ? { pool: model, max: () => modelMax } : modelMax);
    slots = createInferenceSlots(limits, poolOf, clock);
  }

  async function take(payer = 'alice', model = 'one', left = stays, site = payer): Promise<Place | Full> {
    const place = slots.enter({ model, payer, site });
    if (typeof place === 'string') return place;
    if (await place.start(left)) return place;
    place.leave();
    return 'model';
  }
}
