import { readToolVersion } from './environment.ts';
import { type ToolRun, toolRuns } from './runs.ts';

const [begin, end] = ['<!-- tools -->\n', '<!-- end of tools -->'];

/** Replaces the table of a page. `payments` are the counted payments of each run, in order. */
export function replaceToolTable(page: string, payments: readonly number[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('The page has no place for the table of tools');
  const lines = [
    '| tool | run | payments | result |\n|---|---|---|---|\n',
    ...toolRuns.map((run, at) => writeRow(run, payments[at])),
  ];
  return page.slice(0, from) + begin + lines.join('') + page.slice(to);
}

function writeRow({ tool, title, prints }: ToolRun, payments: number | undefined): string {
  const shown = prints.map((each) => `\`${each}\``).join(', ');
  return `| ${tool} ${readToolVersion(tool)} | ${title} | ${payments ?? '?'} | ${shown} |\n`;
}
