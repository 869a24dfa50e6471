import type { Report, Result } from '../engine/report.ts';
import { byRequirement, bySection, type RequirementRow } from './by-requirement.ts';
import { chooseEnding, describeEnding, type Ending } from './ending.ts';
import { evidenceLines } from './evidence.ts';
import { element, join, type Markup } from './markup.ts';
import { sectionTitles } from './sections.ts';

/**
 * Renders the report as JUnit XML: a suite per section, a case per requirement. Requirements that were not
 * exercised and expected failures are `skipped`, with the reason.
 */
export function renderJunit(report: Report): string {
  const sections = [...bySection(byRequirement(report))];
  const suites = sections.map(([section, rows]) => suite(section, rows, report));
  const all = sections.flatMap(([, rows]) => rows);
  const root = element(
    'testsuites',
    {
      name: `${report.suite.name} ${report.suite.version}`,
      ...countCases(all, report),
      time: (report.durationMs / 1000).toFixed(3),
    },
    ...suites,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}\n`;
}

function suite(section: string, rows: readonly RequirementRow[], report: Report): Markup {
  const name = `${section} ${sectionTitles[section] ?? ''}`.trim();
  return join([
    '\n',
    element(
      'testsuite',
      {
        name,
        ...countCases(rows, report),
        timestamp: report.startedAt.slice(0, 19),
        hostname: report.target,
      },
      ...rows.flatMap((row) => ['\n', testCase(name, row, report)]),
      '\n',
    ),
  ]);
}

function testCase(classname: string, row: RequirementRow, report: Report): Markup {
  const properties = { level: row.level, profile: row.profile, outcome: row.outcome, decision: row.decision };
  return element(
    'testcase',
    { classname, name: row.requirement, time: '0' },
    element(
      'properties',
      {},
      ...Object.entries(properties).map(([name, value]) =>
        value === undefined ? undefined : element('property', { name, value }),
      ),
    ),
    ending(row, report),
    element('system-out', {}, renderOutput(row, report)),
  );
}

function ending(row: RequirementRow, report: Report): Markup | undefined {
  const kind = chooseEnding(row, report);
  if (kind === 'none') return undefined;
  const message = describeEnding(row, report);
  if (kind === 'skipped') return element(kind, { message });
  const worst = row.results.filter(({ outcome }) => outcome === row.outcome);
  const text = worst.map((result) => `${result.title}: ${result.detail}`).join('\n');
  return element(kind, { message, type: row.isStale ? 'stale' : row.outcome }, text);
}

function renderOutput(row: RequirementRow, report: Report): string {
  return [
    `contract ${row.section}: ${row.quote}`,
    ...row.results.map(({ outcome, title, detail }) => `${outcome}  ${title}  ${detail}`.trimEnd()),
    ...row.results.filter(isToBeShown).flatMap((result) => evidenceLines(result, report)),
    '',
  ].join('\n');
}

function isToBeShown({ outcome }: Result): boolean {
  return outcome === 'fail' || outcome === 'warn' || outcome === 'error';
}

function countCases(rows: readonly RequirementRow[], report: Report) {
  const count = (kind: Ending) => `${rows.filter((row) => chooseEnding(row, report) === kind).length}`;
  return {
    tests: `${rows.length}`,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}
