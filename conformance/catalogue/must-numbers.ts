import { mustLines } from './coverage.ts';

const [begin, end] = ['<!-- begin: numbers of MUST, by `npm run generate` -->', '<!-- end -->'];

/** A page with the numbers of MUST as the catalogue has them, between its two marks. */
export function withMustLines(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page lacks ${begin} or ${end} after it`);
  return [page.slice(0, from) + begin, '', ...mustLines(), '', page.slice(to)].join('\n');
}
