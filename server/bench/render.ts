import type { Spread } from './measure/statistics.ts';
import type { Ratio, Report } from './section.ts';

/** The reports as markdown: a table of figures and a table of ratios for each section. */
export function renderMarkdown(reports: readonly Report[]): string {
  return `${reports.map(renderReport).join('\n')}`;
}

function renderReport({ id, title, method, rows, ratios }: Report): string {
  const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
  const figures = [
    `| | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
    ...rows.map(
      ({ name, cells }) => `| ${name} | ${columns.map((column) => written(cells[column])).join(' | ')} |`,
    ),
  ];
  const compared = [
    '| figure | median | least to most | goal | met |',
    '|---|---|---|---|---|',
    ...ratios.map((ratio) => {
      const { name, value, goal } = ratio;
      const wanted = goal === undefined ? '' : `${goal.sign === '>=' ? '≥' : '≤'} ${goal.value}`;
      const range = `${short(value.least)} to ${short(value.most)}`;
      return `| ${name} | ${short(value.median)} | ${range} | ${wanted} | ${isMet(ratio) ?? ''} |`;
    }),
  ];
  return [`## ${id}. ${title}`, '', method, '', ...figures, '', ...compared, ''].join('\n');
}

/** Whether the median reaches the goal: `yes` or `no`; undefined without a goal. */
export function isMet({ value, goal }: Ratio): 'yes' | 'no' | undefined {
  if (goal === undefined) return undefined;
  return (goal.sign === '>=' ? value.median >= goal.value : value.median <= goal.value) ? 'yes' : 'no';
}

function written(figure: Spread | undefined): string {
  if (figure === undefined) return '';
  const [median, least, most] = [figure.median, figure.least, figure.most].map(short);
  return least === most ? `${median}` : `${median} (${least}–${most})`;
}

/** Three significant digits, and no exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
