import {
  type Admit,
  createRateLimit,
  createRefusalLimit,
  presentAdmission,
  type RateLimit,
  type RefusalLimit,
} from './rate-limit.ts';
import { createSharedWindows, type SharedLimitPorts, type SharedWindow } from './shared-windows.ts';

/** A smaller part asks the store more often. A larger one leaves more requests unused in processes that get no more. */
const blockPart = 1 / 16;

/**
 * Counts requests by key for all processes on the store, and admits no more than the limit for them together (D-314).
 * While the store is slow or away, each process counts for itself, up to the whole limit.
 */
export function createSharedRateLimit(name: string, limit: RateLimit, ports: SharedLimitPorts): Admit {
  const own = createRateLimit(limit);
  if (limit === null) return own;
  const windows = createSharedWindows({ ...limit, name, blockPart }, ports);
  return async (key) => {
    const spent = await windows.spend(key);
    if (spent === null) return own(key);
    const { left, remaining } = spent.window;
    return presentAdmission(spent.admitted, {
      requestsMax: limit.requestsMax,
      remaining: left + remaining,
      resetSeconds: secondsLeft(spent.window, ports),
    });
  };
}

/**
 * Counts refused payments for all processes on the store, one call for each. A process learns that the limit is reached
 * when it counts a refusal itself, so each process may let one more refusal through.
 */
export function createSharedRefusalLimit(
  name: string,
  limit: RateLimit,
  ports: SharedLimitPorts,
): RefusalLimit {
  const own = createRefusalLimit(limit);
  if (limit === null) return own;
  const windows = createSharedWindows({ ...limit, name, blockPart: 0 }, ports);
  return {
    async findWait(network) {
      const window = windows.findReached(network);
      if (window !== null) return { retryAfterSeconds: secondsLeft(window, ports) };
      return own.findWait(network);
    },
    async count(network) {
      return (await windows.spend(network))?.admitted ?? own.count(network);
    },
  };
}

function secondsLeft({ endsAt }: SharedWindow, { clock }: SharedLimitPorts): number {
  return Math.max(1, endsAt - clock.steadySeconds());
}
