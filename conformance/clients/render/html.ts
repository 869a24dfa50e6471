import { styleSheet } from '../../report/html-style.ts';
import { marks } from '../../report/marks.ts';
import { type Child, element, type Markup } from '../../report/markup.ts';
import type { ClientReport, ClientResult, ScenarioReport } from '../report.ts';
import { countCells, countColumns, exitLine, findScenario, listFindings, verdictLine } from './summary.ts';

/** Renders the report as one self-contained page without scripts. All text is escaped. */
export function renderClientHtml(report: ClientReport): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('title', {}, 'Conformance of a client'),
    // The style sheet contains no text of the client, so it needs no escaping.
    { markup: `<style>${styleSheet}</style>` },
  );
  const findings = [...listFindings(report)].reverse();
  const passed = report.results.filter(({ outcome }) => outcome === 'pass');
  const body = element(
    'body',
    {},
    element('h1', {}, 'Conformance of a client'),
    element('p', { class: `verdict ${report.verdict}`, role: 'status' }, verdictLine(report)),
    element('p', { class: 'scope' }, element('code', {}, report.command.join(' '))),
    element('p', { class: 'scope' }, `${report.startedAt}. ${exitLine(report)}`),
    section('Findings', ...findings.map((result) => finding(result, report))),
    section('Scenarios', table(countColumns, report.scenarios.map(countCells))),
    section(
      'Passed',
      table(
        ['requirement', 'level', 'rule'],
        passed.map(({ id, level, title }) => [id, level, title]),
      ),
    ),
    section('Requests', ...report.scenarios.map(requests)),
  );
  return `<!doctype html>\n${element('html', { lang: 'en' }, head, body).markup}\n`;
}

function section(title: string, ...children: readonly Child[]): Markup {
  return element('section', {}, element('h2', {}, title), ...children);
}

function finding(result: ClientResult, report: ClientReport): Markup {
  const { id, level, title, source, outcome, detail } = result;
  const scenario = findScenario(result, report);
  const word = outcome === 'inconclusive' ? 'cannot be determined' : outcome;
  return element(
    'div',
    { class: `finding ${outcome}` },
    element('span', { class: `tag ${outcome}` }, `${marks[outcome].mark} ${word}`),
    element('code', {}, id),
    element('p', {}, `${level}: ${title}`),
    element('p', {}, detail),
    element('small', {}, source),
    scenario && requests(scenario),
  );
}

function requests({ id, gateway, requests: lines, output }: ScenarioReport): Markup {
  return element(
    'details',
    { class: 'requirement' },
    element('summary', {}, element('code', {}, id), element('small', {}, `the gateway ${gateway}`)),
    element('pre', {}, lines.join('\n')),
    output === '' ? undefined : element('pre', {}, output),
  );
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): Markup {
  const row = (name: string, cells: readonly string[]) =>
    element('tr', {}, ...cells.map((cell) => element(name, {}, cell)));
  return element('table', { class: 'matrix' }, row('th', columns), ...rows.map((cells) => row('td', cells)));
}
