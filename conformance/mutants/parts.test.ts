import { expect, it } from 'vitest';
import type { Matrix } from './matrix.ts';
import { mergeParts } from './parts.ts';

function buildMatrix(change: Partial<Matrix>): Matrix {
  const empty = { mutants: [], variants: [], unresponsive: [], void: [], owing: [] };
  return { target: 'a gateway', runs: 10, isPartial: false, ...empty, ...change };
}

it('merges the results of the processes, and is void when one of them is', () => {
  const mutants = ['a', 'b'].map((id) => [{ subject: { id }, score: { kind: 'strong' } }]);
  const [one, other] = mutants.map((each) => buildMatrix({ mutants: each as unknown as Matrix['mutants'] }));
  if (!one || !other) throw new Error('no matrix');
  const merged = mergeParts(one, [one, { ...other, void: ['run 2 differs'] }]);
  expect(merged.mutants.map(({ subject }) => subject.id)).toEqual(['a', 'b']);
  expect([merged.runs, merged.void]).toEqual([20, ['run 2 differs']]);
});
