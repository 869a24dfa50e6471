import type { Report, Result } from '../engine/report.ts';
import type { RequirementRow } from './by-requirement.ts';
import { exchangeDetails } from './html-transcript.ts';
import { marks } from './marks.ts';
import { element, type Markup } from './markup.ts';
import { staleLine } from './summary.ts';

/** Exchanges that a check shows itself: the last ones, which decided it. The transcript shows all. */
const exchangesShownMax = 3;

/** A requirement with its quotation of the contract, its checks, and their exchanges. */
export function requirementDetails(row: RequirementRow, report: Report): Markup {
  const { requirement, outcome, level, profile, section, quote, decision, results, expected } = row;
  return element(
    'details',
    { class: `requirement ${outcome}` },
    element(
      'summary',
      {},
      tag(outcome),
      element('code', {}, requirement),
      element('small', {}, `${level} · ${profile}`),
    ),
    element(
      'blockquote',
      // The id is on an inner element, so that a link to the id opens the details element.
      { id: requirement, cite: `#section-${section}` },
      quote,
      decision === undefined ? undefined : element('small', {}, ` ${decision}`),
    ),
    expected && element('p', { class: 'expected' }, `Expected: ${expected.reason}`, issue(expected.issue)),
    row.isStale ? element('p', { class: 'stale' }, staleLine(requirement, report)) : undefined,
    ...results.map((result) => checkDetails(result, report)),
  );
}

function checkDetails({ title, outcome, detail, evidence }: Result, { exchanges }: Report): Markup {
  const earlier = evidence.slice(0, -exchangesShownMax);
  return element(
    'article',
    {},
    element('h4', {}, tag(outcome), title),
    detail === '' ? undefined : element('p', {}, detail),
    ...evidence.slice(-exchangesShownMax).map((number) => {
      const entry = exchanges[number - 1];
      return entry && exchangeDetails(entry);
    }),
    earlier.length === 0
      ? undefined
      : element(
          'p',
          { class: 'earlier' },
          'Other exchanges of this check: ',
          ...earlier.flatMap((number) => [element('a', { href: `#exchange-${number}` }, `#${number}`), ' ']),
        ),
  );
}

function tag(outcome: Result['outcome']): Markup {
  return element('span', { class: `tag ${outcome}` }, `${marks[outcome].mark} ${outcome}`.trim());
}

/** A link only if the text is an http(s) URL, so that the page never runs a `javascript:` link. */
function issue(text: string | undefined): Markup | undefined {
  if (text === undefined) return undefined;
  const isLink = /^https?:\/\//.test(text);
  return element('span', {}, ' ', isLink ? element('a', { href: text, rel: 'noreferrer' }, text) : text);
}
