import { type JudgeOptions, judge, profilesOfAll, type Report } from '../index.ts';
import { useFastSignatures } from '../testing/fast-signatures.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { type Edge, openEdge } from './edge.ts';
import type { Target } from './target.ts';

useFastSignatures();

/** A report, or the reason why the run does not count. */
export type Run =
  | { readonly kind: 'judged'; readonly report: Report }
  | { readonly kind: 'broken'; readonly why: string };

/** In the token's smallest unit, far above the cost of a run. */
const caps = { perRequestUnits: 1_000_000n, totalUnits: 10_000_000n };

/** Runs the suite through an edge, with all profiles and a funded key. A crash makes the run `broken`. */
export async function judgeThrough(
  edge: Edge,
  target: Target,
  options: Partial<JudgeOptions> = {},
): Promise<Run> {
  try {
    await using opened = await openEdge(edge, target);
    const judged = await judge({
      targetUrl: opened.url,
      profiles: profilesOfAll,
      filter: undefined,
      funded: { privateKey: opened.payerKey, caps, journal: memoryJournal() },
      // No gateway here changes with time, so waiting is useless.
      sleep: async () => undefined,
      ...options,
    });
    const [fault] = opened.faults;
    if (fault !== undefined) return { kind: 'broken', why: `the edge failed: ${fault}` };
    if (!judged.ok)
      return { kind: 'broken', why: `the suite rejected the options of the run: ${judged.usage}` };
    const error = judged.report.results.find(({ outcome }) => outcome === 'error');
    if (error)
      return { kind: 'broken', why: `a check threw an error: ${error.requirement}: ${error.detail}` };
    return { kind: 'judged', report: judged.report };
  } catch (error) {
    return {
      kind: 'broken',
      why: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}
