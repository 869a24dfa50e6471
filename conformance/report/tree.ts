import type { Report, Result } from '../engine/report.ts';
import type { Outcome } from '../engine/verdict.ts';
import { answerLine, curlLine } from './curl.ts';
import { compareSections, sectionTitles } from './sections.ts';
import { summaryLines, verdictLine } from './summary.ts';

/** The colours that a terminal may have; each gives the text back where it has none. */
export type Colours = Record<'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', (text: string) => string>;

/** Exchanges shown with a failure: the last ones, which decided it. */
const exchangesShownMax = 2;

/**
 * The report for people: a tree by section of the contract, evidence under what failed, and always the denominator. Of a
 * target that never answered it says why, and no more.
 */
export function renderTree(report: Report, colours: Colours): string {
  if (report.unreached !== null) {
    return [`${report.target} cannot be reached: ${report.unreached}`, verdictLine(report), ''].join('\n');
  }
  const shown = report.results.filter(({ outcome }) => outcome !== 'disabled');
  const sections = Map.groupBy(shown, ({ section }) => section);
  const inOrder = [...sections].sort(([one], [other]) => compareSections(one, other));
  return [
    `${colours.bold(report.target)}${report.model === null ? '' : ` · ${report.model}`}`,
    ...inOrder.flatMap(([section, results]) => [
      '',
      colours.bold(`${section}  ${sectionTitles[section] ?? ''}`),
      ...results.flatMap((result) => resultLines(result, report, colours)),
    ]),
    '',
    ...summaryLines(report),
    '',
  ].join('\n');
}

const marks: Readonly<Record<Outcome, { mark: string; colour: keyof Colours }>> = {
  pass: { mark: '✓', colour: 'green' },
  fail: { mark: '✗', colour: 'red' },
  warn: { mark: '!', colour: 'yellow' },
  observed: { mark: '·', colour: 'cyan' },
  inconclusive: { mark: '?', colour: 'yellow' },
  'not-applicable': { mark: '-', colour: 'dim' },
  disabled: { mark: ' ', colour: 'dim' },
  error: { mark: '☠', colour: 'red' },
};

function resultLines(result: Result, report: Report, colours: Colours): readonly string[] {
  const { outcome, requirement, title, detail } = result;
  const { mark, colour } = marks[outcome];
  const line = `  ${colours[colour](mark)} ${requirement}  ${colours.dim(title)}`;
  if (outcome === 'pass') return [line];
  const isShown = outcome === 'fail' || outcome === 'warn' || outcome === 'error';
  return [
    line,
    `      ${colours[colour](detail)}`,
    ...(isShown ? evidenceLines(result, report).map((text) => `      ${text}`) : []),
  ];
}

function evidenceLines({ section, quote, decision, evidence }: Result, report: Report): readonly string[] {
  const decided = decision === undefined ? '' : ` (${decision})`;
  return [
    `contract ${section}: ${quote}${decided}`,
    ...evidence.slice(-exchangesShownMax).flatMap((number) => {
      const entry = report.exchanges[number - 1];
      return entry ? [`#${number} ${curlLine(entry.request)}`, `   ← ${answerLine(entry)}`] : [];
    }),
  ];
}
