import type {
  Engine,
  EngineField,
  Engines,
  Inference,
  InferenceFault,
  InferenceTask,
} from '../inference/engine.ts';
import { listDeltas } from '../inference/stream.ts';
import { ok, type Result } from '../types/result.ts';

type Answering = (
  task: InferenceTask,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<Result<Inference, InferenceFault>>;

/** An engine that returns `pong` and counts its runs. A test can replace its result. */
export type CountingEngine = Engine & {
  honours: readonly EngineField[];
  runs: number;
  /** How often the gateway let the engine load what a task needs. */
  prepared: number;
  /** Produces the result, by default `pong`. */
  answering: Answering;
  /** Produces the result in parts; null for the whole result as one part. */
  streaming: Engine['stream'] | null;
};

export function createCountingEngine(): CountingEngine {
  const engine: CountingEngine = {
    name: 'counting',
    honours: [],
    runs: 0,
    prepared: 0,
    prepare() {
      engine.prepared++;
    },
    answering: (task) => Promise.resolve(ok(pong(task))),
    infer(task, limits) {
      engine.runs++;
      return engine.answering(task, limits);
    },
    streaming: null,
    async *stream(task, limits) {
      if (engine.streaming !== null) {
        engine.runs++;
        return yield* engine.streaming(task, limits);
      }
      const inferred = await engine.infer(task, limits);
      if (inferred.ok) yield* listDeltas(inferred.value);
      return inferred;
    },
    close: () => Promise.resolve(),
  };
  return engine;
}

export function createEngines(engine: Engine): Engines {
  return { engineFor: () => engine, close: () => engine.close() };
}

export function pong(task: InferenceTask): Inference {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (task.kind === 'text') return { kind: 'text', text: 'pong', finishReason: 'stop', usage };
  return { kind: 'chat', message: { role: 'assistant', content: 'pong' }, finishReason: 'stop', usage };
}
