import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

type CircuitBreakerSettings = {
  /** How many calls in a row must fail before the breaker opens. */
  readonly failuresMax: number;
  /** How long the breaker stays open. The time doubles with each trial that fails, up to `openMsMax`. */
  readonly openMs: number;
  readonly openMsMax: number;
};

/**
 * How a call ended. `doubtful`: it failed, and its client may have caused that. `neutral`: it shows neither that the
 * server works, nor that it does not.
 */
export type CallEnd = 'success' | 'failure' | 'doubtful' | 'neutral';

/**
 * Keeps calls away from a server that fails. After its open time, one call is the trial: its success closes the
 * breaker, and its failure opens the breaker again. If all failures in a row are doubtful, the breaker keeps only their
 * clients away (D-342).
 */
export type CircuitBreaker = {
  /** Null if a call of this client may begin; else the milliseconds until the next trial, which are 0 during a trial. */
  blockedMs(client?: string): number | null;
  /**
   * Begins a call, also while the breaker is open. Call the result with the end of the call; only the first time
   * counts. The success of any call that began after the last change closes the breaker.
   */
  begin(client?: string): (end: CallEnd) => void;
};

/** Several processes open their breakers together. With different open times their trials do not come together. */
const jitter = 0.2;
/** If more clients fail in a row, the server is at fault. */
const suspectsMax = 100;

export function createCircuitBreaker(
  { failuresMax, openMs, openMsMax }: CircuitBreakerSettings,
  clock: Pick<Clock, 'monotonicMs'>,
  random: Random,
  onChange: (isOpen: boolean) => void = () => undefined,
): CircuitBreaker {
  let failures = 0;
  /** The clients of the failures in a row; null once the server is at fault. */
  let suspects: Set<string> | null = new Set();
  /** When the next trial may begin; null while the breaker is closed. */
  let trialAt: number | null = null;
  let currentOpenMs = openMs;
  let hasTrial = false;
  /** Counts the changes. A call that began before the last one says nothing about the server after it. */
  let changes = 0;

  return {
    blockedMs(client) {
      const isInnocent = client !== undefined && suspects?.has(client) === false;
      if (trialAt === null || isInnocent) return null;
      if (hasTrial) return 0;
      const ms = trialAt - clock.monotonicMs();
      return ms > 0 ? ms : null;
    },
    begin(client) {
      const begunAfter = changes;
      const isTrial = trialAt !== null && !hasTrial && clock.monotonicMs() >= trialAt;
      if (isTrial) hasTrial = true;
      let isEnded = false;
      return (end) => {
        if (isEnded || begunAfter !== changes) return;
        isEnded = true;
        if (isTrial) hasTrial = false;
        if (end === 'neutral') return;
        if (end === 'success') return close();
        suspect(end === 'doubtful' ? client : undefined);
        fail(isTrial);
      };
    },
  };

  function close(): void {
    failures = 0;
    suspects = new Set();
    if (trialAt === null) return;
    trialAt = null;
    hasTrial = false;
    changes++;
    onChange(false);
  }

  /** Suspects a client, or the server without one. */
  function suspect(client: string | undefined): void {
    if (client !== undefined) suspects?.add(client);
    if (client === undefined || (suspects?.size ?? 0) > suspectsMax) suspects = null;
  }

  function fail(isTrial: boolean): void {
    if (trialAt === null) {
      if (++failures < failuresMax) return;
      open(openMs);
      onChange(true);
    } else if (isTrial) open(Math.min(currentOpenMs * 2, openMsMax));
  }

  function open(ms: number): void {
    currentOpenMs = ms;
    trialAt = clock.monotonicMs() + ms * (1 - jitter + 2 * jitter * random());
    changes++;
  }
}
