import type { Clock } from '../clock.ts';

/** A clock that stands still. Waiting moves the clock at once and records the wait. */
export type ManualClock = Clock & { readonly waitsMs: number[]; advance(seconds: number): void };

export function manualClock(startSeconds = 1_800_000_000): ManualClock {
  let nowMs = startSeconds * 1000;
  const waitsMs: number[] = [];
  return {
    waitsMs,
    nowSeconds: () => Math.floor(nowMs / 1000),
    async waitMs(durationMs) {
      waitsMs.push(durationMs);
      nowMs += durationMs;
    },
    advance(seconds) {
      nowMs += seconds * 1000;
    },
  };
}
