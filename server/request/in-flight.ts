import { hasLeft, orLeft } from './or-left.ts';

/**
 * Work that identical requests share. It runs once, and is cancelled only when every client has left (D-19,
 * D-22).
 */
export interface InFlight<Result> {
  /**
   * Runs the work, or joins running work with the same key and fingerprint, or with the same purchase and
   * fingerprint. Null when the key runs for another request. `crowded` when `callersMax` callers wait already.
   * `clientLeft` removes this caller. A caller that joined, or that waits, then gets `left` at once, so that its body
   * needs no memory. If all callers left, the work is being cancelled: a new caller waits for its end and starts it
   * again.
   */
  join(
    key: string,
    fingerprint: string,
    clientLeft: AbortSignal,
    work: (everybodyLeft: AbortSignal) => Promise<Result>,
    purchase?: string,
  ): Promise<Joined<Result> | 'crowded' | 'left' | null>;
  /**
   * Keeps the work of this key in progress until `rest` ends, though its result was returned: it counts and may
   * be joined.
   */
  outlive(key: string, rest: Promise<unknown>): void;
  /** From now on the work of this key runs to its end and may be joined, even if all callers leave (D-272). */
  keep(key: string): void;
  /** Resolves when the work of this key, if any, has ended. */
  ended(key: string): Promise<void>;
  /** The number of works in progress. */
  readonly size: number;
  /** Resolves when all work in progress has ended. */
  idle(): Promise<void>;
}

/**
 * Callers that wait for one work at once. Each holds its body, which may be 10 MB of objects, and no other limit counts
 * it (D-407). SDKs send a request again a few times.
 */
export const callersMax = 64;

/** The result of the work, and its key; `joined` is true when another caller had started it. */
type Joined<Result> = { readonly result: Result; readonly key: string; readonly joined: boolean };

type Entry<Result> = {
  readonly key: string;
  readonly fingerprint: string;
  readonly done: Promise<Result>;
  readonly rest: Promise<unknown>[];
  readonly abandoned: AbortController;
  /** Ends the waits of the callers that joined. */
  readonly joined: Set<(done: Promise<Result>) => void>;
  waiting: number;
  /** Callers that wait for the end of abandoned work, to start it again. */
  waitingForEnd: number;
  isKept: boolean;
  isDone: boolean;
};

export function createInFlight<Result>(): InFlight<Result> {
  const entries = new Map<string, Entry<Result>>();
  const purchases = new Map<string, Entry<Result>>();
  return {
    async join(key, fingerprint, clientLeft, work, purchase) {
      for (;;) {
        const own = entries.get(key);
        if (own !== undefined && own.fingerprint !== fingerprint) return null;
        const bought = purchase === undefined ? undefined : purchases.get(purchase);
        const known = own ?? (bought?.fingerprint === fingerprint ? bought : undefined);
        if (known === undefined) return wait(start(key, fingerprint, work, purchase), clientLeft, false);
        if (known.waiting + known.waitingForEnd >= callersMax) return 'crowded';
        if (!known.abandoned.signal.aborted) return wait(known, clientLeft, true);
        known.waitingForEnd++;
        const ended = await orLeft(hasEnded(known), clientLeft);
        known.waitingForEnd--;
        if (ended === hasLeft) return 'left';
      }
    },
    async ended(key) {
      const entry = entries.get(key);
      if (entry !== undefined) await hasEnded(entry);
    },
    outlive(key, rest) {
      entries.get(key)?.rest.push(rest);
    },
    keep(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.isKept = true;
    },
    get size() {
      return entries.size;
    },
    async idle() {
      while (entries.size > 0) {
        await Promise.allSettled([...entries.values()].flatMap(({ done, rest }) => [done, ...rest]));
      }
    },
  };

  function hasEnded({ done, rest }: Entry<Result>): Promise<unknown> {
    return Promise.allSettled([done, ...rest]);
  }

  function start(
    key: string,
    fingerprint: string,
    work: (left: AbortSignal) => Promise<Result>,
    purchase: string | undefined,
  ): Entry<Result> {
    const abandoned = new AbortController();
    const rest: Promise<unknown>[] = [];
    const end = () => {
      entries.delete(key);
      if (purchase !== undefined && purchases.get(purchase) === entry) purchases.delete(purchase);
    };
    const done = work(abandoned.signal).finally(() => {
      if (rest.length === 0) end();
      else void Promise.allSettled(rest).then(end);
    });
    const joined: Entry<Result>['joined'] = new Set();
    const flags = { waiting: 0, waitingForEnd: 0, isKept: false, isDone: false };
    const entry: Entry<Result> = { key, fingerprint, done, rest, abandoned, joined, ...flags };
    const endWaits = () => {
      entry.isDone = true;
      for (const endWait of joined) endWait(done);
    };
    done.then(endWaits, endWaits);
    entries.set(key, entry);
    if (purchase !== undefined && !purchases.has(purchase)) purchases.set(purchase, entry);
    return entry;
  }
}

/** Waits for the work as a caller that began it, or that joined it. */
async function wait<Result>(
  entry: Entry<Result>,
  clientLeft: AbortSignal,
  joined: boolean,
): Promise<Joined<Result> | 'left'> {
  entry.waiting++;
  // A caller that leaves must not stay among the reactions of `done`: each holds the body of its request (D-432).
  const own = Promise.withResolvers<Result | typeof hasLeft>();
  const leave = () => {
    entry.waiting--;
    if (joined) own.resolve(hasLeft);
    if (entry.waiting === 0 && !entry.isKept) entry.abandoned.abort();
  };
  if (entry.isDone) own.resolve(entry.done);
  else if (joined) entry.joined.add(own.resolve);
  if (clientLeft.aborted) leave();
  else clientLeft.addEventListener('abort', leave, { once: true });
  try {
    const result = await (joined ? own.promise : entry.done);
    return result === hasLeft ? 'left' : { result, key: entry.key, joined };
  } finally {
    entry.joined.delete(own.resolve);
    clientLeft.removeEventListener('abort', leave);
  }
}
