import { describe, expect, it } from 'vitest';
import { catalogModel } from '../independent/steps.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged } from '../testing/judged.ts';
import { offerRules } from './unpaid/offer.ts';

describe('what is said of a failure', () => {
  it('tells a number from the string of digits that was expected', () => {
    const rule = offerRules.find(({ path }) => path === 'maxAmountRequired');
    expect(rule?.judge({ maxAmountRequired: 1000 })).toEqual({
      kind: 'broken',
      expected: 'a decimal integer string',
      actual: 'the number 1000',
    });
    expect(rule?.judge({ maxAmountRequired: '1000' })).toMatchObject({ kind: 'holds' });
  });

  it.each([
    ['error.none-5xx', /^expected no 5xx; got one, to request \d+$/],
    ['error.', /^expected no 5xx; got \d+, to the requests \d+, \d+/],
  ])('counts the server faults of %s', async (filter, words) => {
    await using target = await startFakeTarget(({ error }) => ({
      finish: () => error(500, 'server_error', 'internal_error'),
    }));
    const { results } = await judged(target, { profiles: ['free'], filter, model: catalogModel });
    expect(results.find(({ requirement }) => requirement === 'error.none-5xx')?.detail).toMatch(words);
  });
});
