import { expect, it } from 'vitest';
import { requireReport, runTimeout, selectTags, target, testMutantsOf } from '../testing/mutant-subset.ts';
import { mutantFamilies } from './all.ts';
import { comparable } from './comparable.ts';
import { judgeThrough } from './run.ts';
import { findBrokenRequirements, soundnessFault } from './score.ts';

testMutantsOf(selectTags(0));

it('covers every family together with subset-odd.test.ts', () => {
  const tags = [...selectTags(0), ...selectTags(1)];
  expect(tags.sort()).toEqual(Object.keys(mutantFamilies).sort());
});

it('passes the independent implementation three times with the same report', runTimeout, async () => {
  const runs = [
    await judgeThrough({}, target),
    await judgeThrough({}, target),
    await judgeThrough({}, target),
  ];
  expect(runs.map(soundnessFault)).toEqual([undefined, undefined, undefined]);
  const [first, ...others] = runs.map((run) => comparable(requireReport(run)));
  for (const other of others) expect(other).toEqual(first);
});

it('fails a gateway that returns 418 to every request', runTimeout, async () => {
  const model = 'alder/alder-mini';
  const run = await judgeThrough({ answer: (reply) => ({ ...reply, status: 418 }) }, target, { model });
  expect(requireReport(run).exitCode).toBe(1);
  expect(findBrokenRequirements(requireReport(run))).toContain('unpaid.chat.402');
});
