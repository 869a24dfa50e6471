import { median, percentile } from '../bench/measure/statistics.ts';

/** A statement of the load test, and whether the run kept it. */
export type Law = {
  readonly name: string;
  readonly holds: boolean;
  /** The figures behind it, in a few words. */
  readonly figures: string;
};

/** A figure at a time. */
export type Timed = { readonly atMs: number; readonly value: number };

/**
 * p99 of the last third over p99 of the first. In one run, collections of garbage and other programs move the p99 of equal
 * parts by a third. A queue or a leak that grows moves it by several times.
 */
export const p99RatioMax = 1.5;

/** Memory of the last third over the first. V8 grows and shrinks its heap by some percent under an even load. */
const memoryRatioMax = 1.1;

/** The share of a soak that compiles code and fills caches, and is left out. */
const warmUpShare = 0.1;
/** After this time, even a long soak is warm. */
const warmUpMsMax = 60_000;

/** The values of the first and of the last third of a time, without its warm-up. */
export function splitThirds(
  values: readonly Timed[],
  [fromMs, toMs]: readonly [number, number],
): readonly [readonly number[], readonly number[]] {
  const warmMs = fromMs + Math.min(warmUpMsMax, (toMs - fromMs) * warmUpShare);
  const thirdMs = (toMs - warmMs) / 3;
  const within = (startMs: number) =>
    values.filter(({ atMs }) => atMs >= startMs && atMs < startMs + thirdMs).map(({ value }) => value);
  return [within(warmMs), within(toMs - thirdMs)];
}

/** Whether the p99 of the last third is about that of the first. False without values. */
export function judgeP99(values: readonly Timed[], time: readonly [number, number]): Law {
  const [first, last] = splitThirds(values, time).map((third) => percentile(third, 0.99));
  return judgeRatio('p99', 'ms', [first, last], p99RatioMax);
}

/** Whether the memory of the last third is about that of the first. False without values. */
export function judgeMemory(values: readonly Timed[], time: readonly [number, number]): Law {
  const [first, last] = splitThirds(values, time).map(median);
  return judgeRatio('memory', 'MB', [first, last], memoryRatioMax);
}

/** Proofs are recorded after at most ten seconds (D-28). The rest is for the record itself and for the reading. */
const proofSecondsMax = 15;

/** Whether no proof of the last third waits for longer and longer. False without values. */
export function judgeProofs(values: readonly Timed[], time: readonly [number, number]): Law {
  const [, last] = splitThirds(values, time);
  const oldest = Math.max(...last);
  return {
    name: `soak: no proof of the last third waits for more than ${proofSecondsMax} s`,
    holds: last.length > 0 && oldest <= proofSecondsMax,
    figures: `at most ${oldest.toFixed(0)} s`,
  };
}

function judgeRatio(
  what: string,
  unit: string,
  [first = Number.NaN, last = Number.NaN]: readonly (number | undefined)[],
  most: number,
): Law {
  const ratio = last / first;
  return {
    name: `soak: ${what} of the last third is at most ${most} times that of the first`,
    holds: ratio <= most,
    figures: `${ratio.toFixed(2)} times, ${first.toFixed(0)} and ${last.toFixed(0)} ${unit}`,
  };
}
