import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const conformance = join(import.meta.dirname, '..');
const files = globSync('{checks,engine}/**/*.ts', { cwd: conformance, exclude: ['**/*.test.ts'] });

describe('A check', () => {
  it('passes `given` one expression and returns early for anything longer', () => {
    expect(files.length).toBeGreaterThan(50);
    const nested = files.flatMap((file) =>
      findNested(readFileSync(join(conformance, file), 'utf8')).map((line) => `${file}:${line}`),
    );
    expect(nested).toEqual([]);
  });

  it.each([
    ['a `given` in a `given`', 'given(first, () => given(second, judge))'],
    ['a `given` around a `given`', 'given(given(first, next), judge)'],
    ['a block', 'given(first, (value) => { const one = value; return one; })'],
  ])('fails with %s', (_, text) => {
    expect(findNested(text)).toEqual([1]);
  });

  it('may judge by one expression', () => {
    expect(findNested('given(first, (value) => (value ? holds() : broken()))')).toEqual([]);
  });
});

/** The lines of each `given` with a block or with another `given` in its arguments. */
function findNested(text: string): readonly number[] {
  const source = ts.createSourceFile('check.ts', text, ts.ScriptTarget.Latest, true);
  const isGiven = (node: ts.Node) => ts.isCallExpression(node) && node.expression.getText() === 'given';
  const has = (node: ts.Node, test: (node: ts.Node) => boolean): boolean =>
    ts.forEachChild(node, (child) => test(child) || has(child, test) || undefined) ?? false;
  const isNested = (node: ts.Node) =>
    isGiven(node) && has(node, (inner) => isGiven(inner) || ts.isBlock(inner));
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (isNested(node)) lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
