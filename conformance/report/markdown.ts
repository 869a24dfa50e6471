import type { Report } from '../engine/report.ts';
import { type Outcome, outcomes } from '../engine/verdict.ts';
import { byRequirement, bySection, type RequirementRow } from './by-requirement.ts';
import { sectionTitles } from './sections.ts';
import { marks, staleLines, summaryLines } from './summary.ts';
import { visibleLine } from './visible.ts';

/** Characters of a target's words in one cell. */
const detailCharactersMax = 200;

/** The report in short, as the summary of a CI run: the verdict, a table by section, and what was not passed. */
export function renderMarkdown(report: Report): string {
  const rows = byRequirement(report);
  const open = rows
    .filter(({ outcome, isStale }) => isStale || told.includes(outcome))
    .sort((one, other) => told.indexOf(one.outcome) - told.indexOf(other.outcome));
  const [first = '', ...lines] = summaryLines(report);
  return [
    `## Conformance of ${code(nameOf(report))}`,
    '',
    `**${escapeMarkdown(first)}**`,
    ...[...lines, ...staleLines(report)].flatMap((line) => ['', escapeMarkdown(line)]),
    '',
    ...sectionTable(rows),
    ...(open.length === 0 ? [] : ['', ...openTable(open)]),
    '',
  ].join('\n');
}

/** In this order, after what passes by now: what failed is looked for first, and the rest is often its consequence. */
const told: readonly Outcome[] = ['error', 'fail', 'warn', 'inconclusive'];

function sectionTable(rows: readonly RequirementRow[]): readonly string[] {
  const columns = outcomes.filter((outcome) => rows.some((row) => row.outcome === outcome));
  return [
    `| section | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...[...bySection(rows)].map(([section, ours]) => {
      const counts = columns.map((outcome) => ours.filter((row) => row.outcome === outcome).length || '');
      return `| ${section} ${escapeMarkdown(sectionTitles[section] ?? '')} | ${counts.join(' | ')} |`;
    }),
  ];
}

function openTable(rows: readonly RequirementRow[]): readonly string[] {
  return [
    '| | requirement | level | what was found |',
    '|---|---|---|---|',
    ...rows.map((row) => {
      const result = row.results.find(({ outcome }) => outcome === row.outcome);
      const found = `${result?.title ?? ''}: ${result?.detail ?? ''}`;
      const expected = row.expected ? ` (expected: ${row.expected.reason})` : '';
      const cell = escapeMarkdown(visibleLine(`${found}${expected}`, detailCharactersMax));
      return `| ${marks[row.outcome].mark} ${row.outcome} | ${code(row.requirement)} | ${row.level} | ${cell} |`;
    }),
  ];
}

function nameOf({ implementation, target }: Report): string {
  if (!implementation) return target;
  const version = implementation.version === undefined ? '' : ` ${implementation.version}`;
  return `${implementation.name}${version} at ${target}`;
}

function code(text: string): string {
  return `<code>${escapeMarkdown(visibleLine(text, detailCharactersMax))}</code>`;
}

/** Every sign that markdown or HTML could obey becomes a reference, which neither takes for its own. */
function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, (sign) => (harmless.has(sign) ? sign : `&#${sign.charCodeAt(0)};`));
}

/** In the middle of a line these have no meaning, and the text stays readable. */
const harmless: ReadonlySet<string> = new Set(['.', ',', "'", '%', '=', '/', '?', ';', '(', ')']);
