import type { AllowanceStore } from '../store/allowances.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { CircuitBreaker } from '../types/circuit-breaker.ts';
import type { Clock } from '../types/clock.ts';
import { type UnixSeconds, unixSeconds } from '../types/units.ts';

export type SharedLimitPorts = {
  readonly store: AllowanceStore;
  /** Opens when the store is slow or away. All limits share it. */
  readonly breaker: CircuitBreaker;
  readonly clock: Pick<Clock, 'steadySeconds'>;
  /** How long a request waits for the store. */
  readonly waitMs: number;
};

/** A window of one key, as this process knows it. */
export type SharedWindow = {
  /** How many requests this process may admit without asking the store. */
  left: number;
  /** How many requests it admitted in the window. */
  spent: number;
  /** How many requests the store had left for all processes. */
  remaining: number;
  endsAt: UnixSeconds;
  /** Requests that wait for the store. */
  waiting: number;
  /** The call to the store, of which there is one at a time. */
  taking: Promise<void> | null;
};

/** One rate limit of all processes on a store (D-314). */
type SharedWindows = {
  /** Counts a request. Returns its window, and whether the limit admits it; null while the store is slow or away. */
  spend(key: string): Promise<{ readonly window: SharedWindow; readonly admitted: boolean } | null>;
  /** The window of a key if its limit is known to be reached; asks nothing. */
  findReached(key: string): SharedWindow | null;
};

type SharedLimit = {
  readonly name: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
  /** Asks for as many requests as it has spent, up to this part of the rest; 0 asks for each request. */
  readonly blockPart: number;
};

/** The most keys in memory. The oldest is forgotten first; what it had left is lost until its window ends. */
const keysMax = 65_536;
/** How many old windows each new one removes, so that the memory follows the number of keys. */
const dropsMax = 2;

export function createSharedWindows(limit: SharedLimit, ports: SharedLimitPorts): SharedWindows {
  const windows = new Map<string, SharedWindow>();
  return {
    async spend(key) {
      const window = currentWindow(key);
      window.waiting++;
      try {
        while (window.left === 0 && !isReached(window)) {
          if (ports.breaker.blockedMs() !== null) return null;
          window.taking ??= take(key, window);
          if (!(await isInTime(window.taking, ports.waitMs))) return null;
        }
      } finally {
        window.waiting--;
      }
      if (window.left === 0) return { window, admitted: false };
      window.left--;
      window.spent++;
      return { window, admitted: true };
    },
    findReached(key) {
      const window = windows.get(key);
      const isCurrent = window !== undefined && window.endsAt > ports.clock.steadySeconds();
      return isCurrent && isReached(window) ? window : null;
    },
  };

  function currentWindow(key: string): SharedWindow {
    const now = ports.clock.steadySeconds();
    const known = windows.get(key);
    if (known !== undefined && !isOld(known, now)) return known;
    windows.delete(key);
    dropOld(now);
    const endsAt = unixSeconds(now + limit.windowSeconds);
    const fresh = { left: 0, spent: 0, remaining: limit.requestsMax, endsAt, waiting: 0, taking: null };
    windows.set(key, fresh);
    return fresh;
  }

  /** The windows have one length, so the oldest ones end first. */
  function dropOld(now: UnixSeconds): void {
    let drops = 0;
    for (const [key, window] of windows) {
      const isDropped = isOld(window, now) || (windows.size >= keysMax && window.waiting === 0);
      if (!isDropped || ++drops > dropsMax) return;
      windows.delete(key);
    }
  }

  async function take(key: string, window: SharedWindow): Promise<void> {
    const more = Math.min(window.spent, Math.floor(window.remaining * limit.blockPart));
    const { name, requestsMax, windowSeconds } = limit;
    const request = { limit: name, key, requestsMax, windowSeconds, wanted: window.waiting + more };
    const end = ports.breaker.begin();
    const timer = setTimeout(() => end('failure'), ports.waitMs);
    try {
      const { granted, remaining, endsAt } = await ports.store.takeAllowance(request);
      Object.assign(window, { left: window.left + granted, remaining, endsAt });
      end('success');
    } catch (cause) {
      end('failure');
      if (!(cause instanceof StoreUnavailable)) throw cause;
    } finally {
      clearTimeout(timer);
      window.taking = null;
    }
  }
}

function isReached({ left, remaining }: SharedWindow): boolean {
  return left === 0 && remaining === 0;
}

function isOld({ endsAt, taking }: SharedWindow, now: UnixSeconds): boolean {
  return endsAt <= now && taking === null;
}

async function isInTime(work: Promise<void>, waitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), waitMs);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
