import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from './scenarios.ts';
import { stacksFolder } from './stack.ts';

/** The outcome of a row: passed, failed, or not part of the stack. */
export type Cell = 'yes' | 'no' | '–';
export type Results = Readonly<
  Record<string, { readonly title: string; readonly cells: Readonly<Record<string, Cell>> }>
>;

/** The rows of the table: the steps, the vectors, and the scenarios. */
export const rows: readonly string[] = ['build', 'vectors', ...scenarios.map(({ id }) => id)];

export const resultsFile = join(stacksFolder, 'results.json');

/** The outcomes of the last runs that were written, by the name of the stack. */
export function readResults(): Results {
  return JSON.parse(readFileSync(resultsFile, 'utf8'));
}

const [begin, end] = [
  '<!-- begin: stacks, by `npm run test:stacks -- --markdown` -->',
  '<!-- end: stacks -->',
];

/** Replaces the table of STACKS.md. */
export function withResults(page: string, results: Results): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page must contain ${begin}, followed by ${end}`);
  return [page.slice(0, from) + begin, '', ...renderTable(results), '', page.slice(to)].join('\n');
}

function renderTable(results: Results): readonly string[] {
  const stacks = Object.entries(results).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...stacks.map(([, { title }]) => title)]),
    `|${'---|'.repeat(stacks.length + 1)}`,
    ...rows.map((row) => line([`\`${row}\``, ...stacks.map(([, { cells }]) => cells[row] ?? '–')])),
  ];
}
