import { expect, it } from 'vitest';
import { computeFigures, isTrustworthy } from './figures.ts';
import { runMatrix } from './matrix.ts';
import { renderMatrix } from './table.ts';
import { independentTarget, type Target } from './target.ts';

const sound = independentTarget();
const options = { repeat: 1, jobs: 2, only: 'offer-scheme' };
// Measured at 22 s on two cores with a load of twelve.
const slow = { timeout: 180_000 };

it('is trustworthy when every mutant fails exactly what it breaks', slow, async () => {
  const progress: string[] = [];
  const matrix = await runMatrix(
    { target: sound, portMutants: [] },
    { ...options, onProgress: (done, total, id) => progress.push(`${done}/${total} ${id}`) },
  );
  const { length } = matrix.mutants;
  expect(length).toBeGreaterThan(1);
  expect(isTrustworthy(matrix)).toBe(true);
  expect(computeFigures(matrix)).toMatchObject({
    mutants: length,
    strongKills: length,
    survivors: 0,
    unscored: 0,
  });
  expect(progress.at(-1)).toMatch(new RegExp(`^${length + 2}/${length + 2} offer-scheme`));
  expect(renderMatrix(matrix)).toContain(
    `${length} mutants: ${length} strong kills, 0 weak kills, 0 survivors`,
  );
  const [, rows = ''] = renderMatrix(matrix).split('REQUIREMENTS');
  expect(rows).toContain(' offer.scheme ');
  // The run had no mutant of this requirement.
  expect(rows).not.toContain(' offer.network ');
  expect(rows).not.toContain('NONE');
});

it('is void when the sound gateway is not green', slow, async () => {
  const away: Target = { ...sound, open: () => Promise.reject(new Error('no port')) };
  const matrix = await runMatrix({ target: away, portMutants: [] }, options);
  expect(isTrustworthy(matrix)).toBe(false);
  expect(matrix.mutants).toEqual([]);
  expect(renderMatrix(matrix)).toMatch(/^VOID\n {2}run 1 of the sound gateway is not green: Error: no port/);
});

it('is void when two runs of the sound gateway give different reports', slow, async () => {
  let opened = 0;
  const [one, other] = [independentTarget(), independentTarget({ error: wordy })];
  const changing: Target = {
    ...one,
    open(publicUrl) {
      opened += 1;
      return (opened === 1 ? one : other).open(publicUrl);
    },
  };
  const matrix = await runMatrix({ target: changing, portMutants: [] }, { ...options, repeat: 2 });
  expect(matrix.void.join('\n')).toContain('differs from the first');
  expect(isTrustworthy(matrix)).toBe(false);
});

it('is not trustworthy without any mutant or variant', slow, async () => {
  const matrix = await runMatrix({ target: sound, portMutants: [] }, { ...options, only: 'no-such' });
  expect(isTrustworthy(matrix)).toBe(false);
});

function wordy(status: number, type: string, code: string) {
  return { status, headers: {}, body: { error: { message: 'In other words, no.', type, code } } };
}
