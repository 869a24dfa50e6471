import { describe, expect, it } from 'vitest';
import { offerMutants } from '../../mutants/families/offer.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { independentTarget } from '../../mutants/target.ts';
import { quoteVariants } from '../../mutants/variants/quotes.ts';
import { requireReport } from '../../testing/mutant-subset.ts';

const id = 'offer.same-in-v2';

async function judge(edge: Parameters<typeof judgeThrough>[0]) {
  const report = requireReport(await judgeThrough(edge, independentTarget(), { filter: id }));
  return report.results.filter(({ requirement }) => requirement === id).map(({ outcome }) => outcome);
}

describe('The offer of x402 v2 beside the offer (D-354)', () => {
  it.each(offerMutants.filter(({ kills }) => kills.includes(id)))(
    'is a warning for a gateway that $does',
    async ({ edge }) => expect(await judge(edge())).toEqual(['warn']),
  );

  it('passes with options in other tokens and on other networks', async () => {
    const beside = quoteVariants.find((each) => each.id === 'offers-of-v2-beside');
    expect(await judge(beside?.edge() ?? {})).toEqual(['pass']);
  });

  it('does not arise without the header', async () => {
    expect(await judge({})).toEqual(['not-applicable']);
  });
});
