import { createInferenceSlots, type InferenceSlots } from '../request/inference-slots.ts';
import { systemClock } from '../types/clock.ts';

/** For tests: slots for every request; with limits, those of a payer and of each model, and no request waits. */
export function createTestSlots(
  payerInferencesMax: number | null = null,
  modelInferencesMax: number | null = null,
): InferenceSlots {
  const limits = {
    payerInferencesMax,
    payerSlotsRatioMax: null,
    leftInferenceMsMax: null,
    waitingInferencesMax: 0,
    inferenceWaitMs: 1,
    inferenceTimeoutMs: 2,
  };
  return createInferenceSlots(
    limits,
    (model) => ({ pool: model, max: () => modelInferencesMax }),
    systemClock,
  );
}
