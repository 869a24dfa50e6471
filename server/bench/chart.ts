import { short } from './render.ts';
import type { Report, Row } from './section.ts';

const [width, labelWidth, figureWidth] = [840, 380, 90];
const titleHeight = 26;
const barHeight = 22;
const [panelHeight, panelTitleHeight, axisHeight] = [80, 20, 18];

type Drawing = { readonly parts: readonly string[]; readonly height: number };

/** One drawing with a chart for each section. It needs no script and follows the reader's colours. */
export function renderCharts(reports: readonly Report[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const { title, rows, chart } of reports) {
    const [heading, drawing] =
      'bars' in chart
        ? [`${title}: ${chart.bars}`, drawBars(rows, chart.bars, top + titleHeight)]
        : [title, drawLines(rows, chart.lines, top + titleHeight)];
    parts.push(text(0, top + 14, heading, 'title'), ...drawing.parts);
    top += titleHeight + drawing.height + 16;
  }
  const style =
    'text{font:13px sans-serif;fill:currentColor}.title{font-weight:bold}.ours{fill:#1f6feb}.peer{fill:#8b949e}.line{fill:none;stroke:#1f6feb;stroke-width:2}.axis{stroke:#8b949e}svg{color:#24292f}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img"><title>Results of the benchmark</title><style>${style}</style>${parts.join('')}</svg>\n`;
}

function drawBars(rows: readonly Row[], column: string, top: number): Drawing {
  const most = greatest(rows, column);
  const parts = rows.flatMap(({ name, cells }, at) => {
    const y = top + at * barHeight;
    const value = cells[column]?.median ?? 0;
    const length = Math.max(1, (value / most) * (width - labelWidth - figureWidth));
    const colour = name.startsWith('gateway') ? 'ours' : 'peer';
    return [
      text(0, y + 15, name),
      `<rect x="${labelWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="${barHeight - 8}" class="${colour}"/>`,
      text(labelWidth + length + 6, y + 15, short(value)),
    ];
  });
  return { parts, height: rows.length * barHeight };
}

/** A panel for each column, with its own scale from zero. All panels share the rows as their axis. */
function drawLines(rows: readonly Row[], columns: readonly string[], top: number): Drawing {
  const height = panelTitleHeight + panelHeight;
  const right = width - figureWidth;
  const x = (at: number) => (rows.length < 2 ? 0 : (at / (rows.length - 1)) * right);
  const panels = columns.flatMap((column, panel) => {
    const bottom = top + (panel + 1) * height;
    const most = greatest(rows, column);
    const points = rows.map(({ cells }, at) => {
      const y = bottom - ((cells[column]?.median ?? 0) / most) * panelHeight;
      return `${x(at).toFixed(1)},${y.toFixed(1)}`;
    });
    const last = rows.at(-1)?.cells[column]?.median ?? 0;
    return [
      text(0, bottom - panelHeight - 6, `${column}, at most ${short(most)}`),
      `<line x1="0" y1="${bottom}" x2="${right}" y2="${bottom}" class="axis"/>`,
      `<polyline points="${points.join(' ')}" class="line"/>`,
      text(right + 6, bottom - (last / most) * panelHeight + 4, short(last)),
    ];
  });
  const axis = top + columns.length * height + axisHeight - 3;
  const ends = [text(0, axis, rows[0]?.name ?? ''), text(right, axis, rows.at(-1)?.name ?? '', 'end')];
  return { parts: [...panels, ...ends], height: columns.length * height + axisHeight };
}

/** Above zero, so that a share of it is a number. */
function greatest(rows: readonly Row[], column: string): number {
  return Math.max(...rows.map(({ cells }) => cells[column]?.median ?? 0)) || 1;
}

function text(x: number, y: number, content: string, style?: 'title' | 'end'): string {
  const attributes = { title: ' class="title"', end: ' text-anchor="end"' };
  const written = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${style === undefined ? '' : attributes[style]}>${written}</text>`;
}
