/** Work that several identical requests wait for: done once, ended early only when nobody waits any more (D-19, D-22). */
export interface InFlight<Result> {
  /**
   * Runs the work, or joins it where it is under way with the same fingerprint. `clientLeft` takes this caller out of
   * those who wait. Null when the key is under way for another request.
   */
  join(
    key: string,
    fingerprint: string,
    clientLeft: AbortSignal,
    work: (everybodyLeft: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly joined: boolean }> | null;
  /** How many works are under way. */
  readonly size: number;
  /** Resolves when everything that is under way has ended. */
  idle(): Promise<void>;
}

type Entry<Result> = {
  readonly fingerprint: string;
  readonly done: Promise<Result>;
  readonly abandoned: AbortController;
  waiting: number;
};

export function createInFlight<Result>(): InFlight<Result> {
  const entries = new Map<string, Entry<Result>>();
  return {
    join(key, fingerprint, clientLeft, work) {
      const known = entries.get(key);
      if (known !== undefined && known.fingerprint !== fingerprint) return null;
      const entry = known ?? start(key, fingerprint, work);
      return wait(entry, clientLeft, known !== undefined);
    },
    get size() {
      return entries.size;
    },
    async idle() {
      while (entries.size > 0) await Promise.allSettled([...entries.values()].map((entry) => entry.done));
    },
  };

  function start(
    key: string,
    fingerprint: string,
    work: (left: AbortSignal) => Promise<Result>,
  ): Entry<Result> {
    const abandoned = new AbortController();
    const done = work(abandoned.signal).finally(() => entries.delete(key));
    const entry = { fingerprint, done, abandoned, waiting: 0 };
    entries.set(key, entry);
    return entry;
  }

  async function wait(
    entry: Entry<Result>,
    clientLeft: AbortSignal,
    joined: boolean,
  ): Promise<{ readonly result: Result; readonly joined: boolean }> {
    entry.waiting++;
    const leave = () => {
      entry.waiting--;
      if (entry.waiting === 0) entry.abandoned.abort();
    };
    if (clientLeft.aborted) leave();
    else clientLeft.addEventListener('abort', leave, { once: true });
    try {
      return { result: await entry.done, joined };
    } finally {
      clientLeft.removeEventListener('abort', leave);
    }
  }
}
