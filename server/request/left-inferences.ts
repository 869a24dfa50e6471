import type { Clock } from '../types/clock.ts';

/**
 * The inferences of each payer, and of the strangers of each site, that their clients left before their end, or that failed
 * because of their request. Nothing is paid for them (D-431).
 */
export type LeftInferences = {
  /** Records how long an inference held its slot. */
  record(share: string, ms: number, end: 'left' | 'completed'): void;
  /** Whether more was left than may be, and more than was completed. */
  isTooMuch(share: string): boolean;
  /** Whether more was completed than left. */
  isProven(share: string): boolean;
};

/** How long an inference counts. */
const windowMs = 600_000;
/** The most shares in memory. The oldest is forgotten first. */
const sharesMax = 65_536;

type Times = { readonly since: number; leftMs: number; completedMs: number };

/** `leftMsMax` is the time of inferences that may be left within ten minutes; null for no limit. */
export function createLeftInferences(
  leftMsMax: number | null,
  clock: Pick<Clock, 'monotonicMs'>,
): LeftInferences {
  // In the order of their begin, so that the oldest stand first.
  const times = new Map<string, Times>();
  return {
    record(share, ms, end) {
      forget();
      const now = clock.monotonicMs();
      const of = times.get(share) ?? { since: now, leftMs: 0, completedMs: 0 };
      of[end === 'left' ? 'leftMs' : 'completedMs'] += ms;
      times.set(share, of);
      const [oldest] = times.size > sharesMax ? times.keys() : [];
      if (oldest !== undefined) times.delete(oldest);
    },
    isTooMuch(share) {
      forget();
      const { leftMs = 0, completedMs = 0 } = times.get(share) ?? {};
      return leftMsMax !== null && leftMs > Math.max(leftMsMax, completedMs);
    },
    isProven(share) {
      forget();
      const { leftMs = 0, completedMs = 0 } = times.get(share) ?? {};
      return completedMs > leftMs;
    },
  };

  function forget(): void {
    for (const [share, { since }] of times) {
      if (clock.monotonicMs() - since < windowMs) return;
      times.delete(share);
    }
  }
}
