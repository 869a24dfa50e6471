import { mustLines } from './coverage.ts';

const [begin, end] = ['<!-- begin: numbers of MUST, by `npm run generate` -->', '<!-- end -->'];

/** Replaces the numbers of MUST requirements between the two marks of a page. */
export function withMustLines(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page must contain ${begin}, followed by ${end}`);
  return [page.slice(0, from) + begin, '', ...mustLines(), '', page.slice(to)].join('\n');
}
