import { beforeAll, describe, expect, it } from 'vitest';
import { judgeMutant, runTimeout, selectMutants, selectTags, target } from '../testing/mutant-subset.ts';
import { judgeThrough, type Run } from './run.ts';

let sound: Run | undefined;
beforeAll(async () => {
  sound = await judgeThrough({}, target);
}, 120_000);

describe('the suite finds exactly the requirements that a mutant breaks', () => {
  it.each(selectMutants(selectTags(1)))('$id: $does', runTimeout, async (mutant) => {
    const score = await judgeMutant(sound, mutant);
    expect(score).toMatchObject({ kind: 'strong', found: [...mutant.kills].sort() });
  });
});
