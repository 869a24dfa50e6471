import { describe, expect, it } from 'vitest';
import { requireReport, runTimeout, soundRun, target } from '../testing/mutant-subset.ts';
import { judgeThrough } from './run.ts';
import { scoreUnresponsive, scoreVariant } from './score.ts';
import { unresponsiveDeployments, unresponsiveLimits } from './unresponsive.ts';
import { variantFamilies } from './variants/all.ts';

const model = 'alder/alder-mini';
/** Variants that a change of the suite failed before. */
const failedBefore: readonly string[] = ['bodies-of-900-bytes-at-most'];
/** The middle variant of each family, every variant that hides something from the suite, and those that failed before. */
const someVariants = Object.values(variantFamilies).flatMap((family) => {
  const middle = Math.floor(family.length / 2);
  return family.filter(
    ({ id, hides }, index) => index === middle || hides !== undefined || failedBefore.includes(id),
  );
});

describe('the suite passes a legal variant', () => {
  it.each(someVariants)('$id: $does', runTimeout, async ({ edge, hides, listsNoModels }) => {
    const run = await judgeThrough(edge(), target, listsNoModels && { model });
    expect(scoreVariant(requireReport(await soundRun()), run, hides)).toMatchObject({ kind: 'green' });
  });
});

describe('the suite neither fails nor passes an unresponsive deployment', () => {
  // These runs wait for responses that do not come.
  it.concurrent.each(unresponsiveDeployments)('$id', runTimeout, async ({ edge }) => {
    const run = await judgeThrough(edge(), target, { model, ...unresponsiveLimits });
    expect(scoreUnresponsive(run)).toEqual({ kind: 'open' });
  });
});
