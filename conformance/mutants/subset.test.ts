import { describe, expect, it } from 'vitest';
import {
  judgeMutant,
  requireReport,
  runTimeout,
  selectMutants,
  selectTags,
  soundRun,
  target,
} from '../testing/mutant-subset.ts';
import { mutantFamilies } from './all.ts';
import { comparable } from './comparable.ts';
import { judgeThrough } from './run.ts';
import { findBrokenRequirements, soundnessFault } from './score.ts';

describe('the suite finds exactly the requirements that a mutant breaks', () => {
  it.each(selectMutants(selectTags(0)))('$id: $does', runTimeout, async (mutant) => {
    expect(await judgeMutant(mutant)).toMatchObject({ kind: 'strong', found: [...mutant.kills].sort() });
  });
});

it('covers every family together with subset-odd.test.ts', () => {
  const tags = [...selectTags(0), ...selectTags(1)];
  expect(tags.sort()).toEqual(Object.keys(mutantFamilies).sort());
});

it('passes the independent implementation three times with the same report', runTimeout, async () => {
  const runs = [await soundRun(), await judgeThrough({}, target), await judgeThrough({}, target)];
  expect(runs.map(soundnessFault)).toEqual([undefined, undefined, undefined]);
  const [first, ...others] = runs.map((run) => comparable(requireReport(run)));
  for (const other of others) expect(other).toEqual(first);
});

it('fails a gateway that returns 418 to every request', runTimeout, async () => {
  const model = 'alder/alder-mini';
  const run = await judgeThrough({ respond: (reply) => ({ ...reply, status: 418 }) }, target, { model });
  expect(requireReport(run).exitCode).toBe(1);
  expect(findBrokenRequirements(requireReport(run))).toContain('unpaid.chat.402');
});
