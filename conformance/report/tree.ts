import type { Report, Result } from '../engine/report.ts';
import { evidenceLines } from './evidence.ts';
import { failureLines } from './findings.ts';
import { compareSections, sectionTitles } from './sections.ts';
import { marks, staleLines, summaryLines, unreachedLine, verdictLine } from './summary.ts';
import { uncommanded, visibleLine } from './visible.ts';

/** The colours that a terminal may have; each gives the text back where it has none. */
export type Colours = Record<'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', (text: string) => string>;

const modelCharactersMax = 100;
const detailCharactersMax = 500;

/**
 * The report for people: a tree by section of the contract, evidence under what failed, and always the denominator. Of a
 * target that never answered it says why, and no more. Every line begins with a word of ours, and no line is anybody else's: a
 * CI takes what stands at the beginning of one for a command (D-128).
 */
export function renderTree(report: Report, colours: Colours): string {
  return uncommanded(linesOf(report, colours).join('\n'));
}

function linesOf(report: Report, colours: Colours): readonly string[] {
  const unreached = unreachedLine(report, detailCharactersMax);
  if (unreached !== undefined) return [unreached, verdictLine(report), ''];
  const shown = report.results.filter(({ outcome }) => outcome !== 'disabled');
  const sections = Map.groupBy(shown, ({ section }) => section);
  const inOrder = [...sections].sort(([one], [other]) => compareSections(one, other));
  return [
    `${colours.bold(report.target)}${report.model === null ? '' : ` · ${visibleLine(report.model, modelCharactersMax)}`}`,
    ...inOrder.flatMap(([section, results]) => [
      '',
      colours.bold(`${section}  ${sectionTitles[section] ?? ''}`),
      ...results.flatMap((result) => resultLines(result, report, colours)),
    ]),
    '',
    ...failureLines(report).map((line) => colours.red(line)),
    ...staleLines(report).map((line) => colours.red(line)),
    ...summaryLines(report),
    '',
  ];
}

function resultLines(result: Result, report: Report, colours: Colours): readonly string[] {
  const { outcome, requirement, title, detail, expected } = result;
  const { mark, colour } = marks[outcome];
  const line = `  ${colours[colour](mark)} ${requirement}  ${colours.dim(title)}`;
  if (outcome === 'pass') return [line];
  const isShown = outcome === 'fail' || outcome === 'warn' || outcome === 'error';
  return [
    line,
    `      ${colours[colour](`${outcome}: ${visibleLine(detail, detailCharactersMax)}`)}`,
    ...(expected
      ? [`      ${colours.cyan(`expected: ${visibleLine(expected.reason, detailCharactersMax)}`)}`]
      : []),
    ...(isShown ? [quoteLine(result), ...evidenceLines(result, report)].map((text) => `      ${text}`) : []),
  ];
}

function quoteLine({ section, quote, decision }: Result): string {
  return `contract ${section}: ${quote}${decision === undefined ? '' : ` (${decision})`}`;
}
