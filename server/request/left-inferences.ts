import type { Clock } from '../types/clock.ts';

/** The inferences of each payer that its clients left before their end, for which it pays nothing (D-431). */
export type LeftInferences = {
  /** Records how long an inference held its slot. */
  record(payer: string, ms: number, end: 'left' | 'completed'): void;
  /** Whether the payer left more than it may, and more than it completed. */
  isTooMuch(payer: string): boolean;
};

/** How long an inference counts. */
const windowMs = 600_000;

type Times = { readonly since: number; leftMs: number; completedMs: number };

/** `leftMsMax` is the time of inferences that a payer may leave within ten minutes; null for no limit. */
export function createLeftInferences(
  leftMsMax: number | null,
  clock: Pick<Clock, 'monotonicMs'>,
): LeftInferences {
  // In the order of their begin, so that the oldest stand first.
  const times = new Map<string, Times>();
  return {
    record(payer, ms, end) {
      forget();
      const now = clock.monotonicMs();
      const found = times.get(payer);
      // Only payers with left inferences take memory.
      if (leftMsMax === null || (found === undefined && end === 'completed')) return;
      const of = found ?? { since: now, leftMs: 0, completedMs: 0 };
      of[end === 'left' ? 'leftMs' : 'completedMs'] += ms;
      times.set(payer, of);
    },
    isTooMuch(payer) {
      forget();
      const { leftMs = 0, completedMs = 0 } = times.get(payer) ?? {};
      return leftMsMax !== null && leftMs > Math.max(leftMsMax, completedMs);
    },
  };

  function forget(): void {
    for (const [payer, { since }] of times) {
      if (clock.monotonicMs() - since < windowMs) return;
      times.delete(payer);
    }
  }
}
