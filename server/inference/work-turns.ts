/** Runs some work in a later turn of the event loop, and returns its result. */
export type WorkTurns = <Result>(work: () => Result) => Promise<Result>;

/**
 * Runs the work of all inferences in order until the time of a turn is used up (D-200). If each inference gave
 * way by itself, 250 of them would all continue in the same turn and delay all other work.
 */
export function createWorkTurns(budgetMs: number, now: () => number = () => performance.now()): WorkTurns {
  const due: (() => void)[] = [];
  return (work) =>
    new Promise((resolve, reject) => {
      const call = () => {
        try {
          resolve(work());
        } catch (cause) {
          reject(cause);
        }
      };
      if (due.push(call) === 1) setImmediate(doSome);
    });

  function doSome(): void {
    const began = now();
    let done = 0;
    do due[done++]?.();
    while (done < due.length && now() - began < budgetMs);
    due.splice(0, done);
    if (due.length > 0) setImmediate(doSome);
  }
}

/** The time of a turn for inferences, in milliseconds. The last piece of work may exceed it. */
const budgetMs = 5;

/** Runs work in the turns of this process. */
export const takeTurn = createWorkTurns(budgetMs);
