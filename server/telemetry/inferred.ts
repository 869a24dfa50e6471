import type { Inference, InferenceFault } from '../inference/engine.ts';
import type { Result } from '../types/result.ts';

export type Inferred = Result<Inference, InferenceFault>;

/** The names of OpenTelemetry for the kinds of tasks. */
export const operationNames = { chat: 'chat', text: 'text_completion' } as const;

/** The result of a stream whose reader left before its end. */
export const left = { ok: false, fault: { kind: 'cancelled', detail: 'the reader left' } } as const;

/** The `error.type` of an inference; empty if it succeeded. Null stands for an exception. */
export function nameError(inferred: Inferred | null): string {
  if (inferred === null) return 'exception';
  return inferred.ok ? '' : inferred.fault.kind;
}
