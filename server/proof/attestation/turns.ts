import { fail, ok, type Result } from '../../types/result.ts';

/** Limits concurrent work: so much runs at once, so much waits, and for a limited time. */
export type Turns = {
  /**
   * Runs the work when its turn comes. The networks of the clients take turns, so that one client cannot keep the
   * others waiting (D-223). The fault `busy` means that the work was not started.
   */
  take<T>(network: string, work: () => Promise<T>): Promise<Result<T, 'busy'>>;
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
  /** By network, in the order of the rotation. No list is empty. */
  const waiting = new Map<string, Waiter[]>();

  return {
    async take(network, work) {
      if (underWay < concurrentMax) underWay += 1;
      else if (!makeRoom(network) || !(await turn(network))) return fail('busy');
      try {
        return ok(await work());
      } finally {
        pass();
      }
    },
  };

  /** Frees a place in a full queue by the newest wait of the network with the most. False if that is this one. */
  function makeRoom(network: string): boolean {
    const lists = [...waiting];
    if (lists.reduce((sum, [, { length }]) => sum + length, 0) < waitingMax) return true;
    const [most, longest] = lists.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    if (most === undefined || (waiting.get(network)?.length ?? 0) + 1 >= (longest?.length ?? 0)) return false;
    longest?.at(-1)?.(false);
    return true;
  }

  /** Waits for a free turn: true when one came, false after `waitMs` or for the place of another network. */
  function turn(network: string): Promise<boolean> {
    return new Promise((resolve) => {
      const end: Waiter = (hasTurn) => {
        clearTimeout(timer);
        const others = (waiting.get(network) ?? []).filter((other) => other !== end);
        // A network that had its turn goes to the end of the rotation.
        if (hasTurn || others.length === 0) waiting.delete(network);
        if (others.length > 0) waiting.set(network, others);
        resolve(hasTurn);
      };
      const timer = setTimeout(end, waitMs, false);
      waiting.set(network, [...(waiting.get(network) ?? []), end]);
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
