import { describe, expect, it } from 'vitest';
import { streamMutants } from '../../mutants/families/streams.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { findBrokenRequirements } from '../../mutants/score.ts';
import { independentTarget } from '../../mutants/target.ts';
import { streamVariants } from '../../mutants/variants/streams.ts';
import { requireReport } from '../../testing/mutant-subset.ts';

const target = independentTarget();

/** The outcomes of the checks of streams and of every receipt. */
async function judge(edge: Parameters<typeof judgeThrough>[0]) {
  const report = requireReport(await judgeThrough(edge, target, { filter: 's' }));
  const outcomes = report.results
    .filter(({ requirement }) => requirement.startsWith('stream.'))
    .map(({ outcome }) => outcome);
  return {
    outcomes: [...new Set(outcomes)],
    broken: findBrokenRequirements(report),
    exitCode: report.exitCode,
  };
}

describe('A paid stream (D-297)', () => {
  it.each(streamMutants)('of $id, which $does, breaks $kills', async ({ edge, kills }) => {
    expect((await judge(edge())).broken).toEqual([...kills].sort());
  });

  it.each(streamVariants.slice(0, -1))('of $id, which $does, passes', async ({ edge }) => {
    expect(await judge(edge())).toMatchObject({ outcomes: ['pass'], broken: [] });
  });

  it('does not arise for a target with a form of its own, or without streams', async () => {
    const own = streamVariants.at(-1)?.edge() ?? {};
    for (const edge of [own, {}])
      expect(await judge(edge)).toMatchObject({ outcomes: ['not-applicable'], broken: [] });
  });
});
