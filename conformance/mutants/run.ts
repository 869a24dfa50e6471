import { type JudgeOptions, judge, profilesOfAll, type Report } from '../index.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { type Edge, openEdge } from './edge.ts';
import type { Target } from './target.ts';

/** A report, or why there is none that says anything of the change. */
export type Run =
  | { readonly kind: 'judged'; readonly report: Report }
  | { readonly kind: 'broken'; readonly why: string };

/** In the token's smallest unit: far above what any run costs. */
const caps = { perRequestUnits: 1_000_000n, totalUnits: 10_000_000n };

/** Judges a target through an edge, on all profiles and with a funded key. What crashes is not judged. */
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
      funded: { privateKey: target.payerKey, caps, journal: memoryJournal() },
      // Nobody here gets better by being waited for.
      sleep: async () => undefined,
      ...options,
    });
    const [fault] = opened.faults;
    if (fault !== undefined) return { kind: 'broken', why: `the edge failed: ${fault}` };
    if (!judged.ok) return { kind: 'broken', why: `the suite would not judge it: ${judged.usage}` };
    const error = judged.report.results.find(({ outcome }) => outcome === 'error');
    if (error) return { kind: 'broken', why: `the suite failed: ${error.requirement}: ${error.detail}` };
    return { kind: 'judged', report: judged.report };
  } catch (error) {
    return {
      kind: 'broken',
      why: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}
