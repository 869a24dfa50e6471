/** A place where several wait for one another. */
export type Barrier = {
  /** One of those that are waited for. */
  member(): {
    /** Ends when every member has arrived or left. */
    readonly arrive: () => Promise<void>;
    readonly leave: () => void;
  };
};

/** A barrier for so many members. A member that leaves is waited for no longer. */
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
