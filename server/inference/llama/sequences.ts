import { fail } from '../../types/result.ts';
import type { InferenceTask } from '../engine.ts';
import { abortable } from './abortable.ts';
import { type Completion, completeTask } from './complete.ts';
import type { LlamaSequence } from './library.ts';
import type { LoadedModel, ModelLoader } from './load-model.ts';
import type { TokenMeter } from './write-text.ts';

/** Runs a task in a sequence of its own. */
export type RunTask = (task: InferenceTask, meter: TokenMeter, signal: AbortSignal) => Completion;

/**
 * Shares the sequences of a context between tasks. A task without a free one is `overloaded`. A task that waits for the
 * model has its sequence already.
 */
export function createSequences(sequences: number, loader: ModelLoader): RunTask {
  const idle: LlamaSequence[] = [];
  let active = 0;
  return async function* (task, meter, signal) {
    if (active >= sequences)
      return fail({ kind: 'overloaded', detail: `all ${sequences} sequences of the model are busy` });
    active++;
    try {
      const loaded = await abortable(loader.load(), signal);
      if (!loaded.ok) return fail({ kind: 'failed', detail: loaded.fault });
      return yield* complete(task, loaded.value, meter, signal);
    } finally {
      active--;
    }
  };

  async function* complete(
    task: InferenceTask,
    loaded: LoadedModel,
    meter: TokenMeter,
    signal: AbortSignal,
  ): Completion {
    const sequence = idle.pop() ?? loaded.context.getSequence();
    try {
      return yield* completeTask(task, { loaded, sequence, meter, signal });
    } finally {
      // The next task belongs to another client.
      await sequence.clearHistory();
      idle.push(sequence);
    }
  }
}
