import type { Report } from '../engine/report.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import { byRequirement, bySection, type RequirementRow } from './by-requirement.ts';
import { counted } from './counted.ts';
import { createHeadline, exitLine } from './headline.ts';
import { findingSections } from './html-findings.ts';
import { requirementDetails } from './html-requirement.ts';
import { styleSheet } from './html-style.ts';
import { exchangeDetails } from './html-transcript.ts';
import { marks } from './marks.ts';
import { element, join, type Markup } from './markup.ts';
import { sectionTitles } from './sections.ts';
import { caveats, runLines, scopeWords, staleLines } from './summary.ts';
import { visibleLine } from './visible.ts';

/** Longest name from a target, in characters. */
const nameCharactersMax = 200;

/**
 * Renders the report as one self-contained page without scripts, fonts or images. All strings are escaped as
 * text, and a content security policy blocks scripts and requests. The verdict comes first, then its evidence.
 */
export function renderHtml(report: Report): string {
  const rows = byRequirement(report);
  const name = report.implementation?.name ?? report.target;
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'color-scheme', content: 'light dark' }),
    element('meta', {
      'http-equiv': 'Content-Security-Policy',
      content: "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'",
    }),
    element('meta', { name: 'referrer', content: 'no-referrer' }),
    element('title', {}, `Conformance of ${visibleLine(name, nameCharactersMax)}`),
    // The style sheet contains no text of a target, so it needs no escaping.
    { markup: `<style>${styleSheet}</style>` },
  );
  const body = element(
    'body',
    {},
    element('header', {}, element('h1', {}, 'Conformance of ', mono(name)), verdict(report)),
    element(
      'main',
      {},
      ...findingSections(report),
      ...matrix(rows),
      ...requirementsPart(rows, report),
      ...run(report),
      transcript(report),
    ),
    element('footer', {}, footnote),
  );
  return `<!doctype html>\n${element('html', { lang: 'en' }, head, body).markup}\n`;
}

const footnote =
  'Placeholders in angle brackets replace signatures and keys. To repeat a paid request, sign a payment of your own.';

function verdict(report: Report): Markup {
  const { verdict: word, sentence } = createHeadline(report);
  return join([
    element(
      'p',
      { class: `verdict ${report.verdict}`, role: 'status' },
      element('strong', {}, `${word}:`),
      ' ',
      element('span', {}, sentence),
    ),
    element('p', { class: 'scope' }, `${scopeWords(report)} · ${report.startedAt}. ${exitLine(report)}`),
    ...staleLines(report).map((line) => element('p', { class: 'stale' }, line)),
    ...caveats(report).map((line) => element('p', { class: 'caveat' }, line)),
  ]);
}

/** The parameters of the run. */
function run(report: Report): readonly Markup[] {
  const { implementation, caps } = report;
  const said: Readonly<Record<string, string | undefined>> = {
    target: report.target,
    version: implementation?.version,
    'more information': implementation?.url,
    model: report.model === null ? undefined : visibleLine(report.model, nameCharactersMax),
    contract: `${report.contractVersion}, SHA-256 ${report.contractSha256}`,
    suite: `${report.suite.name} ${report.suite.version}`,
    profiles: report.profiles.join(', '),
    filter: report.filter ?? undefined,
    caps:
      caps === null
        ? undefined
        : `${caps.perRequestUnits} units per request, ${caps.totalUnits} units in all`,
    started: report.startedAt,
  };
  return [
    element('h2', {}, 'The run'),
    ...runLines(report).map((line) => element('p', { class: 'run' }, `${line}.`)),
    element(
      'dl',
      {},
      ...Object.entries(said).flatMap(([term, value]) =>
        value === undefined ? [] : [element('dt', {}, term), element('dd', {}, value)],
      ),
    ),
  ];
}

/** A checkbox for each outcome that occurs. The style sheet hides unchecked outcomes without a script. */
function filters(rows: readonly RequirementRow[]): Markup {
  return element(
    'nav',
    { 'aria-label': 'Filter by outcome' },
    element('span', {}, 'Show: '),
    ...presentIn(rows).map((outcome) =>
      element(
        'label',
        { class: `tag ${outcome}` },
        element('input', { type: 'checkbox', id: `show-${outcome}`, checked: 'checked' }),
        `${outcome} ${count(rows, outcome)}`,
      ),
    ),
  );
}

function presentIn(rows: readonly RequirementRow[]): readonly Outcome[] {
  return outcomes.filter((outcome) => count(rows, outcome) > 0);
}

function count(rows: readonly RequirementRow[], outcome: Outcome): number {
  return rows.filter((row) => row.outcome === outcome).length;
}

function matrix(rows: readonly RequirementRow[]): readonly Markup[] {
  return [
    element('h2', { id: 'matrix' }, 'All requirements at a glance'),
    legend(rows),
    element(
      'table',
      { class: 'matrix' },
      element(
        'tbody',
        {},
        ...[...bySection(rows)].map(([section, ours]) =>
          element(
            'tr',
            {},
            element(
              'th',
              { scope: 'row' },
              element('a', { href: `#section-${section}` }, writeTitle(section)),
            ),
            element('td', {}, ...ours.map(cell)),
          ),
        ),
      ),
    ),
  ];
}

/** Every mark of the matrix with its name, meaning and count. */
function legend(rows: readonly RequirementRow[]): Markup {
  return element(
    'ul',
    { class: 'legend' },
    ...presentIn(rows).map((outcome) =>
      element(
        'li',
        {},
        element('span', { class: `cell ${outcome}`, 'aria-hidden': 'true' }, marks[outcome].mark),
        element('strong', {}, `${count(rows, outcome)} ${outcome}`),
        element('small', {}, marks[outcome].meaning),
      ),
    ),
  );
}

function cell({ requirement, outcome }: RequirementRow): Markup {
  const says = `${requirement}: ${outcome}`;
  return element(
    'a',
    { class: `cell ${outcome}`, href: `#${requirement}`, title: says, 'aria-label': says },
    marks[outcome].mark,
  );
}

function requirementsPart(rows: readonly RequirementRow[], report: Report): readonly Markup[] {
  return [
    element('h2', {}, 'Every requirement'),
    filters(rows),
    ...[...bySection(rows)].flatMap(([section, ours]) => [
      element('h3', { id: `section-${section}`, class: 'section' }, writeTitle(section)),
      ...ours.map((row) => requirementDetails(row, report)),
    ]),
  ];
}

function transcript({ exchanges, requests }: Report): Markup {
  return element(
    'section',
    {},
    element('h2', {}, 'Transcript'),
    element(
      'p',
      {},
      `${counted(requests, 'request')}, in the order of sending${requests === exchanges.length ? '' : '; only the last one of a burst'}.`,
    ),
    ...exchanges.map((entry) => exchangeDetails(entry, `exchange-${entry.number}`)),
  );
}

function writeTitle(section: string): string {
  return `${section} ${sectionTitles[section] ?? ''}`.trim();
}

function mono(text: string): Markup {
  return element('code', {}, visibleLine(text, nameCharactersMax));
}
