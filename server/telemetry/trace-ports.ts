import type { Engine, Inference, InferenceLimits, InferenceStream } from '../inference/engine.ts';
import type { PaidPorts } from '../request/paid-request.ts';
import type { OpenStore } from '../store/store.ts';
import { type Inferred, left, nameError, operationNames } from './inferred.ts';
import type { Span, Step, Steps } from './steps.ts';

/** The ports of a paid request whose calls are steps, besides store and engines. */
export type TracedPorts = Pick<PaidPorts, 'settler' | 'recovery' | 'readPayer' | 'prover'>;

/** Makes a step of each call that a paid request waits for. */
export function tracePorts<Ports extends TracedPorts>(ports: Ports, steps: Steps): Ports {
  const { settler, recovery, readPayer, prover } = ports;
  return {
    ...ports,
    recovery: {
      name: recovery.name,
      recover: (...parameters) => steps.runNow('verify', () => recovery.recover(...parameters)),
    },
    readPayer: (...parameters) => steps.run('balance', () => readPayer(...parameters)),
    prover: { prove: (...parameters) => steps.runNow('prove', () => prover.prove(...parameters)) },
    settler: {
      ...settler,
      verify: (payment) => steps.run('verify', () => settler.verify(payment)),
      settle: (...parameters) =>
        steps.run('settle', async (span) => {
          const settlement = await settler.settle(...parameters);
          span?.set({ 'paid_inference.settlement': settlement.state });
          if (settlement.state === 'settled') span?.set({ 'paid_inference.transaction': settlement.txHash });
          return settlement;
        }),
    },
  };
}

/** Makes a step of each operation of the store that a paid request waits for. */
export function traceStore(store: OpenStore, steps: Steps): OpenStore {
  return {
    ...store,
    lookUp: (...parameters) => steps.run('lookup', () => store.lookUp(...parameters)),
    reserve: (...parameters) => steps.run('reserve', () => store.reserve(...parameters)),
    execute: (...parameters) => steps.run('record', () => store.execute(...parameters)),
    owe: (...parameters) => steps.run('record', () => store.owe(...parameters)),
    completeOwed: (...parameters) => steps.run('record', () => store.completeOwed(...parameters)),
  };
}

/** Makes a step of each inference. An upstream gets the context of the step. */
export function traceEngine(engine: Engine, steps: Steps): Engine {
  return {
    ...engine,
    async infer(task, limits) {
      const step = begin(task);
      try {
        const inferred = await steps.within(step, () => engine.infer(task, withHeaders(limits, step)));
        end(step, inferred);
        return inferred;
      } catch (cause) {
        end(step, null);
        throw cause;
      }
    },
    stream: (task, limits) => traceStream(task, limits),
    close: () => engine.close(),
  };

  function begin({ kind, model }: Parameters<Engine['infer']>[0]): Step | null {
    const step = steps.begin('infer');
    step?.span?.set({
      'gen_ai.operation.name': operationNames[kind],
      'gen_ai.provider.name': engine.name,
      'gen_ai.request.model': model,
    });
    return step;
  }

  async function* traceStream(...[task, limits]: Parameters<Engine['stream']>): InferenceStream {
    const step = begin(task);
    const stream = engine.stream(task, withHeaders(limits, step));
    let inferred: Inferred | null = left;
    try {
      inferred = yield* stream;
      return inferred;
    } catch (cause) {
      inferred = null;
      throw cause;
    } finally {
      end(step, inferred);
    }
  }
}

function withHeaders(limits: InferenceLimits, step: Step | null): InferenceLimits {
  return step?.span ? { ...limits, headers: step.span.headers() } : limits;
}

/** Null after an exception. */
function end(step: Step | null, inferred: Inferred | null): void {
  if (inferred?.ok) setUsage(step?.span ?? null, inferred.value);
  step?.end(nameError(inferred) || undefined);
}

function setUsage(span: Span | null, { usage }: Inference): void {
  span?.set({
    'gen_ai.usage.input_tokens': usage.prompt_tokens,
    'gen_ai.usage.output_tokens': usage.completion_tokens,
  });
}
