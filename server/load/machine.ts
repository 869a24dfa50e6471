import { median } from '../bench/measure/statistics.ts';

/** A part of a run in which the machine, the driver or the chain was slow. */
type Slow = { readonly atSeconds: number; readonly ms: number };

/** The state of the machine during a run. It tells a slow machine or chain from a slow gateway. */
export type MachineFindings = {
  /** The longest pauses of the driver, and the slowest blocks of the chain, the longest first. */
  readonly pauses: readonly Slow[];
  readonly blocks: readonly Slow[];
  /** The least speed of the processor in a span of some seconds. 1 is the speed before the soak. Null without spans. */
  readonly slowest: { readonly atSeconds: number; readonly speed: number } | null;
};

export type MachineWatch = {
  /** Notes the time of a block. */
  readonly noteBlock: (tookMs: number) => void;
  /** Begins the soak, with which the findings deal. The time before it shows the usual speed. */
  beginSoak(): void;
  /** Ends the watch. */
  stop(): MachineFindings;
};

const tickMs = 20;
/** Shorter ones are usual: collections of garbage, and the turns of other programs. */
const slowMsMin = 200;
const keptMax = 5;
const probeMs = 500;
const probesOfSpan = 10;
/** About a millisecond of work. */
const probeRounds = 200_000;

/** Below this speed, the soak may be more than the machine can do. */
const speedMin = 0.9;

/** Watches the speed of the processor, the timer of this process, and the blocks of the chain. */
export function watchMachine(): MachineWatch {
  let startMs = performance.now();
  let lastMs = startMs;
  let before: readonly number[] = [];
  let probes: number[] = [];
  let pauses: Slow[] = [];
  let blocks: Slow[] = [];
  const tick = setInterval(() => {
    const nowMs = performance.now();
    note(pauses, nowMs - lastMs - tickMs);
    lastMs = nowMs;
  }, tickMs);
  const probe = setInterval(() => void probes.push(timeWork()), probeMs);
  return {
    noteBlock: (tookMs) => note(blocks, tookMs),
    beginSoak() {
      before = probes;
      [startMs, probes, pauses, blocks] = [performance.now(), [], [], []];
    },
    stop() {
      clearInterval(tick);
      clearInterval(probe);
      return { pauses: longest(pauses), blocks: longest(blocks), slowest: findSlowest(before, probes) };
    },
  };

  function note(list: Slow[], ms: number): void {
    if (ms < slowMsMin) return;
    list.push({ atSeconds: Math.round((performance.now() - startMs) / 1_000), ms: Math.round(ms) });
  }
}

function longest(list: readonly Slow[]): readonly Slow[] {
  return list.toSorted((one, other) => other.ms - one.ms).slice(0, keptMax);
}

/** Kept, so that the compiler does not drop the work. */
let workResult = 0;

/** The time of some work that is always the same. */
function timeWork(): number {
  const startedAt = performance.now();
  for (let round = 0; round < probeRounds; round += 1) workResult = (workResult * 31 + round) | 0;
  return performance.now() - startedAt;
}

/** The least time of each span. In the others, another program had the core for a moment. */
function leastOfSpans(probes: readonly number[]): readonly number[] {
  return Array.from({ length: Math.floor(probes.length / probesOfSpan) }, (_, span) =>
    Math.min(...probes.slice(span * probesOfSpan, (span + 1) * probesOfSpan)),
  );
}

/** `before` and `during` are the times of the same work, at equal distances. */
export function findSlowest(
  before: readonly number[],
  during: readonly number[],
): MachineFindings['slowest'] {
  const usualMs = median(leastOfSpans(before));
  const spans = leastOfSpans(during).map((leastMs, span) => ({
    atSeconds: (span * probesOfSpan * probeMs) / 1_000,
    speed: usualMs / leastMs,
  }));
  return spans.toSorted((one, other) => one.speed - other.speed)[0] ?? null;
}

/** Lines for the terminal. */
export function describeMachine({ pauses, blocks, slowest }: MachineFindings): string {
  const list = (slow: readonly Slow[]) =>
    slow.map(({ atSeconds, ms }) => `${ms} ms at ${atSeconds} s`).join(', ') || `none of ${slowMsMin} ms`;
  const lines = [`In the soak, pauses of the driver: ${list(pauses)}; slow blocks: ${list(blocks)}.`];
  if (slowest !== null) {
    const { speed, atSeconds } = slowest;
    const hint =
      speed < speedMin
        ? ' So the soak was more than 80 % of what the machine could do then. Repeat the run on a steady machine.'
        : '';
    lines.push(`Slowest 5 s: the processor had ${speed.toFixed(2)} of its speed at ${atSeconds} s.${hint}`);
  }
  return lines.join('\n');
}
