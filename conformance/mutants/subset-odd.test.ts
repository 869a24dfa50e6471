import { describe, expect, it } from 'vitest';
import { judgeMutant, runTimeout, selectMutants, selectTags } from '../testing/mutant-subset.ts';

describe('the suite finds exactly the requirements that a mutant breaks', () => {
  it.each(selectMutants(selectTags(1)))('$id: $does', runTimeout, async (mutant) => {
    expect(await judgeMutant(mutant)).toMatchObject({ kind: 'strong', found: [...mutant.kills].sort() });
  });
});
