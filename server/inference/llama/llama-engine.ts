import { fail, ok, type Result } from '../../types/result.ts';
import type { Engine, EngineLog, Inference, InferenceTask } from '../engine.ts';
import { isCheckedWhole, listDeltas } from '../stream.ts';
import { sumUsage } from '../usage.ts';
import { createModelLoader, type LlamaModelOptions } from './load-model.ts';
import { openRun } from './open-run.ts';
import type { LlamaRuntime } from './runtime.ts';
import { createSequences } from './sequences.ts';
import type { TokenMeter } from './write-text.ts';

/**
 * Runs a model of a GGUF file in this process, with llama.cpp. The model loads once. Tasks wait for that within their
 * limits. Each task has a sequence of the context for itself, and loses its content at the end. Without a free
 * sequence a task is `overloaded`.
 *
 * At an abort the caller gets the fault at once. The sequence becomes free when the model has ended its step. A text
 * that was yielded becomes a completion at the deadline (D-272).
 */
export function createLlamaEngine(
  options: LlamaModelOptions,
  openRuntime: () => Promise<Result<LlamaRuntime, string>>,
  log: EngineLog,
): Engine {
  const loader = createModelLoader(options, openRuntime, log);
  const runTask = createSequences(options.sequences, loader);
  return {
    name: 'llama',
    // A completion has at most one call.
    honours: [
      'top_p',
      'frequency_penalty',
      'presence_penalty',
      'seed',
      'response_format',
      'parallel_tool_calls',
    ],
    upstreams: [
      { probe: { issue: async () => loader.issue() }, breakerIssue: () => null, isWorking: () => true },
    ],
    async infer(task, limits) {
      const run = openRun(task, limits, runTask);
      try {
        for (;;) {
          const { value, done } = await run.next();
          if (done) return value;
        }
      } catch (error) {
        return fail(run.requireFault(error));
      } finally {
        run.close();
      }
    },
    async *stream(task, limits) {
      const run = openRun(task, limits, runTask);
      let shown = '';
      try {
        for (;;) {
          const { value, done } = await run.next();
          if (done) {
            if (value.ok) yield* listDeltas(value.value, shown.length);
            return value;
          }
          if (isCheckedWhole(task)) continue;
          shown += value;
          yield { kind: 'text', text: value };
        }
      } catch (error) {
        const fault = run.requireFault(error);
        return shown !== '' && fault.kind === 'timeout' ? ok(endText(task, shown, run.meter)) : fail(fault);
      } finally {
        run.close();
      }
    },
    close: () => loader.close(),
  };
}

/** The completion of a text that the deadline ended. */
function endText(task: InferenceTask, text: string, { prompt, completion }: TokenMeter): Inference {
  const ended = { finishReason: 'length', usage: sumUsage(prompt, completion) } as const;
  return task.kind === 'text'
    ? { kind: 'text', text, ...ended }
    : { kind: 'chat', message: { role: 'assistant', content: text }, ...ended };
}
