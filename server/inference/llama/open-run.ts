import { fail } from '../../types/result.ts';
import { openDeadline } from '../deadline.ts';
import type { InferenceFault, InferenceLimits, InferenceTask } from '../engine.ts';
import { abortable } from './abortable.ts';
import type { RunTask } from './sequences.ts';
import type { TokenMeter } from './write-text.ts';

/**
 * Starts a task within limits. At their end the caller gets the fault at once, and the task ends when the model has
 * ended its step, also while the caller takes no step.
 */
export function openRun(task: InferenceTask, limits: InferenceLimits, runTask: RunTask) {
  const deadline = openDeadline(limits);
  const meter: TokenMeter = { prompt: 0, completion: 0 };
  const steps = runTask(task, meter, deadline.signal);
  // A step that runs throws the reason of the signal itself, and nobody waits for it then.
  const end = () => void steps.return(fail({ kind: 'cancelled', detail: '' })).catch(() => undefined);
  deadline.signal.addEventListener('abort', end, { once: true });
  return {
    meter,
    next: () => abortable(steps.next(), deadline.signal),
    /** Returns the fault of the limits. Any other exception is a defect and is thrown again. */
    requireFault(error: unknown): InferenceFault {
      const fault = deadline.fault();
      if (fault === null) throw error;
      return fault;
    },
    close() {
      deadline.close();
      end();
    },
  };
}
