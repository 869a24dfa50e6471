import type { Engine, Inference, InferenceFault, InferenceTask } from '../inference/engine.ts';
import { fail, ok, type Result } from '../types/result.ts';

/** For tests: a model that writes when the test says so. */
export type LiveText = {
  readonly stream: Engine['stream'];
  write(text: string): void;
  /** Ends the completion with all that was written. */
  end(): void;
  break(): void;
  /** Resolves with the signal of the run when the model has begun. */
  readonly begun: Promise<AbortSignal>;
};

type Step = { readonly text: string } | 'end' | 'break' | 'cancel';

export function createLiveText(): LiveText {
  const steps: Step[] = [];
  const begun = Promise.withResolvers<AbortSignal>();
  let changed = Promise.withResolvers<void>();
  const add = (step: Step) => {
    steps.push(step);
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    begun: begun.promise,
    write: (text) => add({ text }),
    end: () => add('end'),
    break: () => add('break'),
    async *stream(task, { signal }) {
      begun.resolve(signal);
      signal.addEventListener('abort', () => add('cancel'), { once: true });
      let text = '';
      for (let at = 0; ; ) {
        const step = signal.aborted ? 'cancel' : steps[at];
        if (step === undefined) {
          await changed.promise;
          continue;
        }
        at++;
        if (typeof step === 'string') return endWith(step, task, text);
        text += step.text;
        yield { kind: 'text', text: step.text };
      }
    },
  };
}

function endWith(
  step: 'end' | 'break' | 'cancel',
  task: InferenceTask,
  text: string,
): Result<Inference, InferenceFault> {
  if (step !== 'end')
    return fail({ kind: step === 'cancel' ? 'cancelled' : 'failed', detail: 'the test says so' });
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const rest = { finishReason: 'stop', usage } as const;
  if (task.kind === 'text') return ok({ kind: 'text', text, ...rest });
  return ok({ kind: 'chat', message: { role: 'assistant', content: text }, ...rest });
}
