import type { Report, Result } from '../engine/report.ts';
import type { RequirementRow } from './by-requirement.ts';
import { counted } from './counted.ts';
import { curlLine, responseLine } from './curl.ts';
import { collectFindings, decisive, listRequirements, type OpenGroup } from './findings.ts';
import { marks } from './marks.ts';
import { type Child, element, join, type Markup } from './markup.ts';

/** Findings that the page shows expanded; the others are collapsed. */
const openMax = 10;
/** Requirements listed for one reason. The matrix shows all. */
const idsMax = 40;

/** Sections for findings that need attention: failures first, each with its request and response. */
export function findingSections(report: Report): readonly Markup[] {
  const { errors, failures, warnings, open } = collectFindings(report);
  return [
    ...section('The suite itself failed', errors, report),
    ...section('Failed', failures, report),
    ...section('Warnings', warnings, report),
    ...openSection(open),
  ];
}

function section(title: string, rows: readonly RequirementRow[], report: Report): readonly Markup[] {
  if (rows.length === 0) return [];
  return [
    element('h2', {}, `${title}: ${counted(rows.length, 'requirement')}`),
    ...rows.map((row, at) => finding(row, report, at < openMax)),
  ];
}

function finding(row: RequirementRow, report: Report, isOpen: boolean): Markup {
  const { requirement, outcome, level, profile, section: place, quote, decision, expected } = row;
  const decided = decisive(row);
  return element(
    'details',
    { class: `finding ${outcome}`, open: isOpen ? 'open' : undefined },
    element(
      'summary',
      {},
      element('span', { class: `tag ${outcome}` }, `${marks[outcome].mark} ${outcome}`),
      element('strong', {}, ...inline(decided[0]?.title ?? requirement)),
      element('small', {}, element('code', {}, requirement), ` · ${level} · ${profile}`),
    ),
    element(
      'p',
      { class: 'quote' },
      element('span', { class: 'label' }, `The contract, ${place}: `),
      ...inline(rowWords(quote)),
      decision === undefined ? undefined : element('small', {}, ` (${decision})`),
    ),
    expected && element('p', { class: 'expected' }, `Expected to fail: ${expected.reason}`),
    ...decided.map((result, at) => seen(result, report, at === 0)),
    element('p', {}, element('a', { href: `#${requirement}` }, 'All checks of this requirement')),
  );
}

/** The result of one check, and the exchange that decided it. */
function seen({ title, detail, evidence }: Result, { exchanges }: Report, isFirst: boolean): Markup {
  const number = evidence.at(-1);
  const entry = number === undefined ? undefined : exchanges[number - 1];
  return join([
    isFirst ? undefined : element('p', { class: 'also' }, element('strong', {}, ...inline(title))),
    element('p', { class: 'found' }, element('span', { class: 'label' }, 'Found: '), detail),
    entry &&
      element(
        'details',
        { class: 'exchange', open: isFirst ? 'open' : undefined },
        element('summary', {}, `Request ${entry.number} and its response`),
        element('pre', { class: 'curl' }, curlLine(entry.request)),
        element('pre', {}, responseLine(entry)),
      ),
  ]);
}

/** A row of a table in the contract as one line of text. */
function rowWords(quote: string): string {
  return /^\|.*\|$/.test(quote)
    ? quote
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
        .join(' · ')
    : quote;
}

/** Text with the parts between backticks as code. */
function inline(text: string): readonly Child[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : element('code', {}, part)));
}

function openSection(groups: readonly OpenGroup[]): readonly Markup[] {
  if (groups.length === 0) return [];
  const checks = groups.reduce((sum, { results }) => sum + results.length, 0);
  return [
    element('h2', {}, `Could not be exercised: ${counted(checks, 'check')}`),
    element('p', {}, 'Neither passed nor failed. Grouped by reason, the most frequent first:'),
    element(
      'ul',
      { class: 'open' },
      ...groups.map(({ reason, results }) => {
        const ids = listRequirements(results);
        return element(
          'li',
          {},
          element('strong', {}, `${counted(results.length, 'check')}: `),
          reason,
          element(
            'p',
            { class: 'ids' },
            ...ids
              .slice(0, idsMax)
              .flatMap((id) => [element('a', { href: `#${id}` }, element('code', {}, id)), ' ']),
            ids.length > idsMax ? `and ${ids.length - idsMax} more` : undefined,
          ),
        );
      }),
    ),
  ];
}
