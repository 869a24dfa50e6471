import { describe, expect, it } from 'vitest';
import { type Factors, pairwise, type Row } from './pairwise.ts';

const factors = {
  model: Array.from({ length: 16 }, (_, index) => `m${index}`),
  type: ['absent', 'private', 'individual', 'batch'],
  endpoint: ['chat', 'completions'],
  connection: ['new', 'kept'],
  turn: ['first', 'later', 'last'],
  extra: ['none', 'stream', 'user'],
} as const;

const isPossible = ({ endpoint, turn }: Partial<Row<typeof factors>>) =>
  endpoint !== 'completions' || turn === undefined || turn === 'first';

describe('pairwise rows', () => {
  const rows = pairwise(factors, isPossible);

  it('contain every possible pair and no impossible one', () => {
    expect(uncovered(factors, rows).filter(isPossible)).toEqual([]);
    expect(rows.filter((row) => !isPossible(row))).toEqual([]);
  });

  it('are hardly more than the two longest factors require', () => {
    expect(rows.length).toBeGreaterThanOrEqual(64);
    expect(rows.length).toBeLessThanOrEqual(68);
  });

  it('are deterministic', () => {
    expect(pairwise(factors, isPossible)).toEqual(rows);
  });
});

describe('pairwise rows of', () => {
  it('single values are one row', () => {
    expect(pairwise({ a: [1], b: [2], c: [3] })).toEqual([{ a: 1, b: 2, c: 3 }]);
  });

  it('impossible combinations leave out their pairs', () => {
    const rows = pairwise({ a: [1, 2], b: [1, 2], c: [1] }, ({ a, b, c }) => c === undefined || a !== b);
    expect(rows).toEqual([
      { a: 1, b: 2, c: 1 },
      { a: 2, b: 1, c: 1 },
    ]);
  });
});

/** Pairs of values that no row contains. */
function uncovered(of: Factors, rows: readonly Readonly<Record<string, unknown>>[]) {
  const names = Object.keys(of);
  return names.flatMap((one, at) =>
    names
      .slice(at + 1)
      .flatMap((other) =>
        (of[one] ?? []).flatMap((value) =>
          (of[other] ?? [])
            .filter((otherValue) => !rows.some((row) => row[one] === value && row[other] === otherValue))
            .map((otherValue) => ({ [one]: value, [other]: otherValue })),
        ),
      ),
  );
}
