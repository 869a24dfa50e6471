import type { Engine, InferenceStream, InferenceTask } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';
import { type Inferred, left, nameError, operationNames } from './inferred.ts';
import type { Instruments } from './instruments.ts';

type Ports = { readonly instruments: Instruments; readonly clock: Clock };

/** Measures the inferences of one model. */
export function observeEngine(engine: Engine, model: string, { instruments, clock }: Ports): Engine {
  const inProgress = { gen_ai_request_model: model };
  instruments.paid_inference_inferences_in_progress.set(inProgress, 0);
  return {
    ...engine,
    async infer(task, limits) {
      const run = begin(task);
      try {
        const inferred = await engine.infer(task, limits);
        run.end(inferred);
        return inferred;
      } catch (cause) {
        run.end(null);
        throw cause;
      }
    },
    stream: (task, limits) => observeStream(engine.stream(task, limits), () => begin(task)),
    close: () => engine.close(),
  };

  function begin(task: InferenceTask): Run {
    const startedAt = clock.monotonicMs();
    const labels = {
      gen_ai_operation_name: operationNames[task.kind],
      gen_ai_provider_name: engine.name,
      ...inProgress,
    };
    let firstMs: number | null = null;
    instruments.paid_inference_inferences_in_progress.inc(inProgress);
    return {
      first() {
        if (firstMs !== null) return;
        firstMs = clock.monotonicMs();
        instruments.gen_ai_server_time_to_first_token_seconds.observe(labels, (firstMs - startedAt) / 1_000);
      },
      end(inferred) {
        instruments.paid_inference_inferences_in_progress.dec(inProgress);
        const endedAt = clock.monotonicMs();
        const ended = { ...labels, error_type: nameError(inferred) };
        instruments.gen_ai_server_request_duration_seconds.observe(ended, (endedAt - startedAt) / 1_000);
        if (!inferred?.ok) return;
        const { prompt_tokens: input, completion_tokens: output } = inferred.value.usage;
        const usage = instruments.gen_ai_client_token_usage;
        usage.observe({ ...labels, gen_ai_token_type: 'input' }, input);
        usage.observe({ ...labels, gen_ai_token_type: 'output' }, output);
        if (firstMs === null || output < 2) return;
        const rest = (endedAt - firstMs) / 1_000 / (output - 1);
        instruments.gen_ai_server_time_per_output_token_seconds.observe(labels, rest);
      },
    };
  }
}

/** One inference. */
type Run = {
  /** Notes the first part of a stream. */
  first(): void;
  /** Call it once. Null after an exception. */
  end(inferred: Inferred | null): void;
};

async function* observeStream(stream: InferenceStream, begin: () => Run): InferenceStream {
  const run = begin();
  let inferred: Inferred | null = left;
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) {
        inferred = next.value;
        return inferred;
      }
      run.first();
      yield next.value;
    }
  } catch (cause) {
    inferred = null;
    throw cause;
  } finally {
    run.end(inferred);
    // The reader may leave before the end.
    await stream.return(left);
  }
}
