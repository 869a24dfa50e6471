import { escapeMarkdown } from '../../report/markdown.ts';
import { visibleLine } from '../../report/visible.ts';
import type { ClientReport } from '../report.ts';
import { countCells, countColumns, exitLine, listFindings, verdictLine } from './summary.ts';

const cellCharactersMax = 300;

/** Renders the report as the summary of a CI run. */
export function renderClientMarkdown(report: ClientReport): string {
  const findings = listFindings(report).map(({ id, level, outcome, title, detail }) => [
    id,
    level,
    outcome === 'inconclusive' ? 'cannot be determined' : outcome,
    title,
    detail,
  ]);
  return [
    '## Conformance of a client',
    '',
    cell(report.command.join(' ')),
    '',
    `**${cell(verdictLine(report))}**`,
    '',
    cell(exitLine(report)),
    ...(findings.length === 0
      ? []
      : ['', ...table(['requirement', 'level', 'outcome', 'rule', 'found'], findings)]),
    '',
    ...table(countColumns, report.scenarios.map(countCells)),
    '',
  ].join('\n');
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function cell(text: string): string {
  return escapeMarkdown(visibleLine(text, cellCharactersMax));
}
