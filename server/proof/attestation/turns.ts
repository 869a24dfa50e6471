import { fail, ok, type Result } from '../../types/result.ts';

/** Limits concurrent work: so much runs at once, so much waits, and for a limited time. */
export type Turns = {
  /** Runs the work when its turn comes. The fault `busy` means that the work was not started. */
  take<T>(work: () => Promise<T>): Promise<Result<T, 'busy'>>;
};

export function createTurns({
  concurrentMax,
  waitingMax,
  waitMs,
}: {
  readonly concurrentMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}): Turns {
  let underWay = 0;
  const waiting = new Set<() => void>();

  return {
    async take(work) {
      if (underWay < concurrentMax) underWay += 1;
      else if (waiting.size >= waitingMax || !(await turn())) return fail('busy');
      try {
        return ok(await work());
      } finally {
        pass();
      }
    },
  };

  /** Waits for a free turn: true when one came, false after `waitMs`. */
  function turn(): Promise<boolean> {
    return new Promise((resolve) => {
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(come);
        resolve(false);
      }, waitMs);
      waiting.add(come);
    });
  }

  /** Passes the turn directly to the next in the queue, so that a new call cannot take it. */
  function pass(): void {
    const [next] = waiting;
    if (next === undefined) {
      underWay -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }
}
