import type { Engine, InferenceFault, InferenceLimits } from '../inference/engine.ts';
import type { Result } from '../types/result.ts';

/** How a task of an engine ended. `left`: its client left, or sent a request that cannot be served. So nothing is paid (D-431). */
export type RunEnd = 'completed' | 'left' | 'failed';

/** The engine, with `begin` before each of its tasks and `end` after it. */
export function withinSlot(
  engine: Engine,
  begin: (limits: InferenceLimits) => InferenceLimits,
  end: (how: RunEnd) => void,
): Engine {
  return {
    ...engine,
    async infer(task, limits) {
      let how: RunEnd = 'failed';
      try {
        const result = await engine.infer(task, begin(limits));
        how = toRunEnd(result);
        return result;
      } finally {
        end(how);
      }
    },
    async *stream(task, limits) {
      // A reader that stops early ends the stream here.
      let how: RunEnd = 'left';
      try {
        const result = yield* engine.stream(task, begin(limits));
        how = toRunEnd(result);
        return result;
      } catch (cause) {
        how = 'failed';
        throw cause;
      } finally {
        end(how);
      }
    },
  };
}

function toRunEnd(result: Result<unknown, InferenceFault>): RunEnd {
  if (result.ok) return 'completed';
  const { kind, isOfRequest } = result.fault;
  return kind === 'cancelled' || isOfRequest ? 'left' : 'failed';
}
