import { marks } from '../../report/marks.ts';
import type { Colours } from '../../report/tree.ts';
import { uncommanded, visibleLine } from '../../report/visible.ts';
import type { ClientReport, ClientResult } from '../report.ts';
import { countCells, countColumns, exitLine, findScenario, listFindings, verdictLine } from './summary.ts';

const lineCharactersMax = 500;
const outputLinesMax = 3;

/** Renders the report for a terminal, with the verdict and the exit code last. */
export function renderClientText(report: ClientReport, colours: Colours, isWhole: boolean): string {
  const findings = listFindings(report);
  const shown = isWhole ? report.results.filter(({ outcome }) => outcome !== 'disabled') : findings;
  const lines = [
    colours.bold(visibleLine(report.command.join(' '), lineCharactersMax)),
    '',
    ...table(report),
    ...shown.flatMap((result) => ['', ...resultLines(result, report, colours)]),
    '',
    colours.bold(verdictLine(report)),
    `The payer spent ${report.spentUnits} units on the devnet in ${(report.durationMs / 1000).toFixed(1)} s`,
    exitLine(report),
    '',
  ];
  return uncommanded(lines.join('\n'));
}

/** Payments and completions of each scenario, in columns. */
function table({ scenarios }: ClientReport): readonly string[] {
  const rows = [countColumns, ...scenarios.map(countCells)];
  const widths = countColumns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}

function resultLines(result: ClientResult, report: ClientReport, colours: Colours): readonly string[] {
  const { id, level, title, source, outcome, detail } = result;
  const { mark, colour } = marks[outcome];
  const head = `  ${colours[colour](mark)} ${id}  ${colours.dim(`${level}: ${title}`)}`;
  if (outcome === 'pass') return [head];
  const scenario = findScenario(result, report);
  const word = outcome === 'inconclusive' ? 'cannot be determined' : outcome;
  const output = scenario?.output.trim().split('\n').slice(-outputLinesMax) ?? [];
  return [
    head,
    `      ${colours[colour](`${word}: ${visibleLine(detail, lineCharactersMax)}`)}`,
    `      source: ${source}`,
    ...(scenario ? [`      the gateway ${scenario.gateway}`] : []),
    ...(scenario?.requests ?? []).map((line) => `      ${visibleLine(line, lineCharactersMax)}`),
    ...output
      .filter((line) => line !== '')
      .map((line) => `      stderr: ${visibleLine(line, lineCharactersMax)}`),
  ];
}
