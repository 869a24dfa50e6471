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
    '| ratio | median | least to most | goal | met |',
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
  return figure === undefined ? '' : `${short(figure.median)} (${short(figure.least)}–${short(figure.most)})`;
}

/** Three significant digits, and no exponent. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

const [width, barHeight, labelWidth, figureWidth] = [760, 22, 220, 110];

/** A chart with one group of bars for each section. It needs no script and follows the reader's colours. */
export function renderChart(reports: readonly Report[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const { title, rows, charted } of reports) {
    parts.push(`<text x="0" y="${top + 14}" class="title">${escapeXml(`${title}: ${charted}`)}</text>`);
    top += 26;
    const most = Math.max(...rows.map(({ cells }) => cells[charted]?.median ?? 0));
    for (const { name, cells } of rows) {
      const value = cells[charted]?.median ?? 0;
      const length = Math.max(1, (value / most) * (width - labelWidth - figureWidth));
      const colour = name.startsWith('gateway') ? 'ours' : 'peer';
      parts.push(
        `<text x="0" y="${top + 15}">${escapeXml(name)}</text>`,
        `<rect x="${labelWidth}" y="${top + 3}" width="${length.toFixed(1)}" height="${barHeight - 8}" class="${colour}"/>`,
        `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${top + 15}">${short(value)}</text>`,
      );
      top += barHeight;
    }
    top += 16;
  }
  const style =
    'text{font:13px sans-serif;fill:currentColor}.title{font-weight:bold}.ours{fill:#1f6feb}.peer{fill:#8b949e}svg{color:#24292f}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img"><style>${style}</style>${parts.join('')}</svg>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
