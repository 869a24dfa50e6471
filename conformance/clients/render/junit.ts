import { element, join, type Markup } from '../../report/markup.ts';
import type { ClientReport, ClientResult } from '../report.ts';
import { findScenario } from './summary.ts';

const wholeRun = 'whole run';

/**
 * Renders the report as JUnit XML: a suite for each scenario, a case for each requirement. Requirements that cannot
 * be determined or are out of scope are `skipped`.
 */
export function renderClientJunit(report: ClientReport): string {
  const groups = [...Map.groupBy(report.results, ({ scenario }) => scenario ?? wholeRun)];
  const suites = groups.map(([name, results]) =>
    join([
      '\n',
      element(
        'testsuite',
        { name, ...count(results), timestamp: report.startedAt.slice(0, 19) },
        ...results.flatMap((result) => ['\n', testCase(name, result, report)]),
        '\n',
      ),
    ]),
  );
  const { name, version } = report.suite;
  const attributes = { name: `${name} ${version} client`, time: (report.durationMs / 1000).toFixed(3) };
  const root = element('testsuites', { ...attributes, ...count(report.results) }, ...suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}\n`;
}

function testCase(classname: string, result: ClientResult, report: ClientReport): Markup {
  const { id: name, level, title, outcome, detail, source } = result;
  const requests = findScenario(result, report)?.requests ?? [];
  const kind = endings[outcome];
  return element(
    'testcase',
    { classname, name, time: '0' },
    kind && element(kind, { message: `${title} ${detail}`.trim(), type: outcome }),
    element('system-out', {}, [`${level}, ${source}`, ...requests, ''].join('\n')),
  );
}

const endings = {
  pass: undefined,
  observed: undefined,
  fail: 'failure',
  warn: undefined,
  inconclusive: 'skipped',
  'not-applicable': 'skipped',
  disabled: 'skipped',
  error: 'error',
} as const;

function count(results: readonly ClientResult[]) {
  const of = (kind: string) => `${results.filter(({ outcome }) => endings[outcome] === kind).length}`;
  return {
    tests: `${results.length}`,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
}
