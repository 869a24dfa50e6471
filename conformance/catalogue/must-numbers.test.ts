import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { profilesOfAll } from '../engine/scope.ts';
import { mustIn } from '../testing/expected.ts';
import { mustLines } from './coverage.ts';
import { withMustLines } from './must-numbers.ts';

const pages = ['../README.md', '../COVERAGE.md', '../../README.md'].map((path) => ({
  path,
  text: readFileSync(new URL(path, import.meta.url), 'utf8'),
}));

/** All numbers of MUST requirements that a page states: `164 MUST`, or `150 of 150 MUST`. */
function stated(text: string): readonly number[] {
  const said = text.matchAll(/(\d+)(?: of (?:the )?(\d+))?(?: \[?MUST)/g);
  return [...said].flatMap(([, one, other]) => [one, other]).flatMap((each) => (each ? [Number(each)] : []));
}

describe('the numbers of MUST', () => {
  it('match the catalogue in both pages of the suite', () => {
    for (const { path, text } of pages.slice(0, 2)) expect(text, path).toContain(mustLines().join('\n'));
    const readme = pages[0]?.text ?? '';
    expect(withMustLines(readme)).toBe(readme);
  });

  it('count the requirements that a correct gateway meets', () => {
    const count = mustIn({ profiles: profilesOfAll });
    expect(mustLines().find((line) => line.includes('verified at a correct gateway'))).toContain(
      ` ${count} |`,
    );
  });

  it('are the only ones on all pages', () => {
    const known = mustLines()
      .flatMap((line) => line.match(/\d+/g) ?? [])
      .map(Number);
    for (const { path, text } of pages) {
      for (const number of stated(text)) expect([path, known.includes(number)]).toEqual([path, true]);
    }
  });

  it('are found in a text', () => {
    expect(stated('**"150 of 150 MUST verified"** and 164 MUST requirements')).toEqual([150, 150, 164]);
  });
});
