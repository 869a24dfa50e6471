/** Does some work in a later turn of the event loop, and gives its result. */
export type WorkTurns = <Result>(work: () => Result) => Promise<Result>;

/**
 * Does the work of all inferences in the order in which it comes, until the time of a turn is over (D-200). Inferences
 * that gave way each for itself would all go on in the same turn, and 250 of them would keep all else waiting.
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

/** What inferences may take of a turn; the last piece of work may go beyond. */
const budgetMs = 5;

/** The turns of this process. */
export const takeTurn = createWorkTurns(budgetMs);
