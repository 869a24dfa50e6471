import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** A barrier at which several members wait for each other. */
export type Barrier = {
  /** Adds one of the expected members. */
  member(): {
    /** Resolves when every member has arrived or left. */
    readonly arrive: () => Promise<void>;
    readonly leave: () => void;
  };
};

/** A barrier for a number of members. It no longer waits for a member that left. */
export function createBarrier(members: number): Barrier {
  const { promise, resolve } = Promise.withResolvers<void>();
  let awaited = members;
  return {
    member() {
      let isCounted = false;
      const count = () => {
        if (isCounted) return;
        isCounted = true;
        awaited -= 1;
        if (awaited <= 0) resolve();
      };
      return {
        arrive: () => {
          count();
          return promise;
        },
        leave: count,
      };
    },
  };
}

/** Gives the target time to read the bytes that its system has received. */
export async function letOthersRead(): Promise<void> {
  await delay(readMs);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

const readMs = 10;
