import { describe, expect, it } from 'vitest';
import { catalogModel } from '../independent/steps.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged } from '../testing/judged.ts';
import { offerRules } from './unpaid/offer.ts';

describe('the message of a failure', () => {
  it('distinguishes a number from the expected string of digits', () => {
    const rule = offerRules.find(({ path }) => path === 'maxAmountRequired');
    expect(rule?.judge({ maxAmountRequired: 1000 })).toEqual({
      kind: 'broken',
      expected: 'a decimal integer string',
      actual: 'the number 1000',
    });
    expect(rule?.judge({ maxAmountRequired: '1000' })).toMatchObject({ kind: 'holds' });
  });

  it.each([
    ['error.none-5xx', /^expected no 5xx; got one 5xx response, to request \d+$/],
    ['error.', /^expected no 5xx; got \d+ 5xx responses, to the requests \d+, \d+/],
  ])('counts the server faults of %s', async (filter, words) => {
    await using target = await startFakeTarget(({ error }) => ({
      finish: () => error(500, 'server_error', 'internal_error'),
    }));
    const { results } = await judged(target, { profiles: ['free'], filter, model: catalogModel });
    expect(results.find(({ requirement }) => requirement === 'error.none-5xx')?.detail).toMatch(words);
  });
});
