import { fail, ok, type Result } from '../../types/result.ts';

/** Limits concurrent work: so much runs at once, so much waits, and for a limited time. */
export type Turns = {
  /**
   * Runs the work when its turn comes. The sites of the clients (D-224) take turns, so that one client cannot keep the
   * others waiting (D-223). The fault `busy` means that the work was not started.
   */
  take<T>(site: string, work: () => Promise<T>): Promise<Result<T, 'busy'>>;
};

/** Ends the wait of one work: with its turn, or without. */
type Waiter = (hasTurn: boolean) => void;

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
  /** By site, in the order of the rotation. No list is empty. */
  const waiting = new Map<string, Waiter[]>();

  return {
    async take(site, work) {
      if (underWay < concurrentMax) underWay += 1;
      else if (!makeRoom(site) || !(await turn(site))) return fail('busy');
      try {
        return ok(await work());
      } finally {
        pass();
      }
    },
  };

  /** Frees a place in a full queue by the newest wait of the site with the most. False if that is this one. */
  function makeRoom(site: string): boolean {
    const lists = [...waiting];
    if (lists.reduce((sum, [, { length }]) => sum + length, 0) < waitingMax) return true;
    const [most, longest] = lists.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    if (most === undefined || (waiting.get(site)?.length ?? 0) + 1 >= (longest?.length ?? 0)) return false;
    longest?.at(-1)?.(false);
    return true;
  }

  /** Waits for a free turn: true when one came, false after `waitMs` or for the place of another site. */
  function turn(site: string): Promise<boolean> {
    return new Promise((resolve) => {
      const end: Waiter = (hasTurn) => {
        clearTimeout(timer);
        const others = (waiting.get(site) ?? []).filter((other) => other !== end);
        // A site that had its turn goes to the end of the rotation.
        if (hasTurn || others.length === 0) waiting.delete(site);
        if (others.length > 0) waiting.set(site, others);
        resolve(hasTurn);
      };
      const timer = setTimeout(end, waitMs, false);
      waiting.set(site, [...(waiting.get(site) ?? []), end]);
    });
  }

  /** Passes the turn directly to the next in the rotation, so that a new call cannot take it. */
  function pass(): void {
    const [next] = waiting.values();
    const [first] = next ?? [];
    if (first === undefined) underWay -= 1;
    else first(true);
  }
}
