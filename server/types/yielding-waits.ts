/** A wait that may end early, because others need its place. */
export type YieldingWait = {
  /** Resolves when the wait gives way. */
  readonly ended: Promise<void>;
  /** Ends the wait. Call it in any case. */
  leave(): void;
};

/** The waits of requests that end with them, and so may leave their places (D-359). */
export type YieldingWaits = {
  /** Begins a wait of a client's site (D-224). */
  begin(site: string): YieldingWait;
  /** Ends the oldest wait of the site with the most. False if none waits. */
  giveWay(): boolean;
  /** How many wait. */
  readonly size: number;
};

type Waiting = PromiseWithResolvers<void> & { readonly site: string };

export function createYieldingWaits(): YieldingWaits {
  const waits = new Set<Waiting>();
  return {
    begin(site) {
      const wait = { ...Promise.withResolvers<void>(), site };
      waits.add(wait);
      return { ended: wait.promise, leave: () => void waits.delete(wait) };
    },
    giveWay() {
      const bySite = [...Map.groupBy(waits, ({ site }) => site).values()];
      const [most] = bySite.toSorted((one, other) => other.length - one.length);
      const oldest = most?.[0];
      if (oldest === undefined) return false;
      waits.delete(oldest);
      oldest.resolve();
      return true;
    },
    get size() {
      return waits.size;
    },
  };
}
