import { fail, ok, type Result } from '../../types/result.ts';

/** Hands out turns: so many at once, so many waiting, and nobody longer than so long. */
export type Turns = {
  /** Does the work when its turn comes; the fault means that it was not begun. */
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

  /** True with the turn of somebody who is done; false when that took too long. */
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

  /** A turn goes from one to the next without being counted down, so that nobody new can slip in between. */
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
