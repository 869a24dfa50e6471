import type { Report, Result } from '../engine/report.ts';
import type { RequirementRow } from './by-requirement.ts';
import { counted } from './counted.ts';
import { evidenceLines } from './evidence.ts';
import { collectFindings, decisive, listRequirements, type OpenGroup } from './findings.ts';
import { createHeadline, exitLine } from './headline.ts';
import { marks } from './marks.ts';
import { sectionCounts } from './section-counts.ts';
import { caveats, runLines, scopeWords, staleLines } from './summary.ts';
import { visibleLine } from './visible.ts';

/** Longest quotation of the target in one line, in characters. */
const detailCharactersMax = 300;
/** Failures that the summary shows with a request to repeat. A table lists the others. */
const shownMax = 10;

/**
 * Renders the report as the summary of a CI run: verdict, failures, open requirements, and a table by section.
 */
export function renderMarkdown(report: Report): string {
  const { verdict, sentence } = createHeadline(report);
  const { errors, failures, warnings, open } = collectFindings(report);
  return [
    `## Conformance of ${code(nameTarget(report))}`,
    '',
    `**${verdict}**: ${escapeMarkdown(sentence)}`,
    '',
    `${escapeMarkdown(scopeWords(report))}. ${escapeMarkdown(exitLine(report))}`,
    ...[...caveats(report), ...staleLines(report)].flatMap((line) => ['', escapeMarkdown(line)]),
    ...found('The suite failed', errors, report),
    ...found('Failed', failures, report),
    ...found('Warnings', warnings, report),
    ...openList(open),
    '',
    ...sectionTable(report),
    ...runLines(report).flatMap((line) => ['', escapeMarkdown(line)]),
    '',
  ].join('\n');
}

function found(title: string, rows: readonly RequirementRow[], report: Report): readonly string[] {
  if (rows.length === 0) return [];
  const rest = rows.slice(shownMax);
  return [
    '',
    `### ${title}: ${counted(rows.length, 'requirement')}`,
    ...rows.slice(0, shownMax).flatMap((row) => finding(row, report)),
    ...(rest.length === 0 ? [] : ['', ...restTable(rest)]),
  ];
}

/** A requirement with its failed checks, the quotation of the contract, and the last request. */
function finding(row: RequirementRow, report: Report): readonly string[] {
  const { outcome, requirement, level, section, quote, expected } = row;
  return [
    '',
    `#### ${marks[outcome].mark} ${code(requirement)} (${level}, ${escapeMarkdown(section)})`,
    '',
    `The contract: ${cut(quote)}`,
    ...decisive(row).flatMap((result) => ['', ...resultLines(result, report)]),
    ...(expected ? ['', `Expected: ${cut(expected.reason)}`] : []),
  ];
}

function resultLines(result: Result, report: Report): readonly string[] {
  const [curl, response] = evidenceLines(result, report).slice(-2);
  return [
    `${escapeMarkdown(result.title)}: ${cut(result.detail)}`,
    ...[curl, response].flatMap((line) => (line === undefined ? [] : ['', code(line)])),
  ];
}

function restTable(rows: readonly RequirementRow[]): readonly string[] {
  return [
    '| | requirement | level | what was found |',
    '|---|---|---|---|',
    ...rows.map((row) => {
      const [result] = decisive(row);
      const words = `${result?.title ?? ''}: ${result?.detail ?? ''}`;
      const expected = row.expected ? ` (expected: ${row.expected.reason})` : '';
      return `| ${marks[row.outcome].mark} | ${code(row.requirement)} | ${row.level} | ${cut(words + expected)} |`;
    }),
  ];
}

function openList(groups: readonly OpenGroup[]): readonly string[] {
  if (groups.length === 0) return [];
  const checks = groups.reduce((sum, { results }) => sum + results.length, 0);
  return [
    '',
    `### Could not be exercised: ${counted(checks, 'check')}`,
    '',
    ...groups.map(({ reason, results }) => {
      const ids = listRequirements(results);
      const named = ids.slice(0, shownMax).map(code).join(', ');
      const more = ids.length > shownMax ? `, and ${ids.length - shownMax} more` : '';
      return `- ${marks.inconclusive.mark} ${counted(results.length, 'check')}: ${cut(reason)} (${named}${more})`;
    }),
  ];
}

function sectionTable(report: Report): readonly string[] {
  const { columns, rows } = sectionCounts(report);
  return [
    `| section | ${columns.map((outcome) => `${marks[outcome].mark} ${outcome}`).join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...rows.map(({ section, title, counts }) => {
      const cells = columns.map((outcome) => counts[outcome] || '');
      return `| ${section} ${escapeMarkdown(title)} | ${cells.join(' | ')} |`;
    }),
    '',
    columns
      .map((outcome) => `${marks[outcome].mark} ${escapeMarkdown(`${outcome}: ${marks[outcome].meaning}`)}`)
      .join('; '),
  ];
}

function nameTarget({ implementation, target }: Report): string {
  if (!implementation) return target;
  const version = implementation.version === undefined ? '' : ` ${implementation.version}`;
  return `${implementation.name}${version} at ${target}`;
}

function cut(text: string): string {
  return escapeMarkdown(visibleLine(text, detailCharactersMax));
}

function code(text: string): string {
  return `<code>${escapeMarkdown(visibleLine(text, codeCharactersMax))}</code>`;
}

/** Long enough for whole requests, which readers repeat. */
const codeCharactersMax = 2_000;

/** Replaces each character with a meaning in Markdown or HTML by a character reference. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, (sign) => (harmless.has(sign) ? sign : `&#${sign.charCodeAt(0)};`));
}

/** These characters have no meaning in the middle of a line, so they stay readable. */
const harmless: ReadonlySet<string> = new Set(['.', ',', "'", '%', '=', '/', '?', ';', '(', ')']);
