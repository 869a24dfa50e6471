import type { Clock } from '../types/clock.ts';

/**
 * The inferences of each payer and of each site that its clients left before their end, or that failed because of their
 * request. Nothing is paid for them (D-431).
 */
export type LeftInferences = {
  /** Records how long an inference of a payer or of a site held its slot. */
  record(share: string, ms: number, end: 'left' | 'completed'): void;
  /** Whether the payer or the site left more than it may, and more than it completed. */
  isTooMuch(share: string): boolean;
};

/** How long an inference counts. */
const windowMs = 600_000;

type Times = { readonly since: number; leftMs: number; completedMs: number };

/** `leftMsMax` is the time of inferences that a payer or a site may leave within ten minutes; null for no limit. */
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
      const found = times.get(share);
      // Only those with left inferences take memory.
      if (leftMsMax === null || (found === undefined && end === 'completed')) return;
      const of = found ?? { since: now, leftMs: 0, completedMs: 0 };
      of[end === 'left' ? 'leftMs' : 'completedMs'] += ms;
      times.set(share, of);
    },
    isTooMuch(share) {
      forget();
      const { leftMs = 0, completedMs = 0 } = times.get(share) ?? {};
      return leftMsMax !== null && leftMs > Math.max(leftMsMax, completedMs);
    },
  };

  function forget(): void {
    for (const [share, { since }] of times) {
      if (clock.monotonicMs() - since < windowMs) return;
      times.delete(share);
    }
  }
}
