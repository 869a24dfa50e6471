import { expect, test } from 'vitest';
import { renderCharts } from './chart.ts';
import { spread } from './measure/statistics.ts';
import type { Chart, Report, Row } from './section.ts';

const rows: readonly Row[] = [
  { name: 'gateway', cells: { 'payments/s': spread([100]), MB: spread([200]) } },
  { name: 'peer <1>', cells: { 'payments/s': spread([400]), MB: spread([50]) } },
];

function render(chart: Chart, of = rows): string {
  const report: Report = { id: 'a', title: 'A & B', method: '', rows: of, ratios: [], chart };
  return renderCharts([report]);
}

test('a bar for each row is in proportion, and a name cannot add markup', () => {
  const svg = render({ bars: 'payments/s' });
  const widths = [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths).toHaveLength(2);
  expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(0.25, 2);
  expect(svg).toContain('A &amp; B: payments/s');
  expect(svg).toContain('peer &lt;1>');
});

test('each column has a line over the rows with a scale of its own, from zero', () => {
  const svg = render({ lines: ['payments/s', 'MB'] });
  const axes = [...svg.matchAll(/<line [^>]*y1="([\d.]+)"/g)].map(([, y]) => Number(y));
  const lines = [...svg.matchAll(/points="([^"]*)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => Number(point.split(',')[1])),
  );
  const heights = lines.map((line, at) => line.map((y) => (axes[at] ?? 0) - y));
  expect(heights).toEqual([
    [20, 80],
    [80, 20],
  ]);
});

test('a single row and a column of zeros give finite places', () => {
  const zeros = [{ name: 'gateway', cells: { MB: spread([0]) } }];
  expect(render({ lines: ['MB'] }, zeros) + render({ bars: 'MB' }, zeros)).not.toMatch(/NaN|Infinity/);
});
