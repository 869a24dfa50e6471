import { describe, expect, it } from 'vitest';
import { streamMutants } from '../../mutants/families/streams.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { findBrokenRequirements } from '../../mutants/score.ts';
import { independentTarget } from '../../mutants/target.ts';
import { streamVariants } from '../../mutants/variants/streams.ts';
import { requireReport } from '../../testing/mutant-subset.ts';

const target = independentTarget();

/** Whether a variant sends event streams. */
const streams = ({ id }: { readonly id: string }) => !/refused|as-lines/.test(id);

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
    // The run has only the requirements that start with s.
    const expected = kills.filter((id) => id.startsWith('s')).sort();
    expect((await judge(edge())).broken).toEqual(expected);
  });

  it.each(streamVariants.filter(streams))('of $id, which $does, passes', async ({ edge }) => {
    expect(await judge(edge())).toMatchObject({ outcomes: ['pass'], broken: [] });
  });

  it('does not arise for a target with a form of its own, without streams, or that refuses their bodies', async () => {
    const others = streamVariants.filter((each) => !streams(each));
    for (const edge of [...others.map((each) => each.edge()), {}])
      expect(await judge(edge)).toMatchObject({ outcomes: ['not-applicable'], broken: [] });
  });
});
