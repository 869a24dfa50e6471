import type { Report, Result } from '../engine/report.ts';
import { evidenceLines } from './evidence.ts';
import { collectFindings, decisive, listRequirements, type OpenGroup } from './findings.ts';
import { exitLine } from './headline.ts';
import { marks } from './marks.ts';
import { countsLines } from './section-counts.ts';
import { compareSections, sectionTitles } from './sections.ts';
import { caveats, runLines, staleLines, unreachedLine, verdictLine } from './summary.ts';
import { uncommanded, visibleLine } from './visible.ts';

/** Colours of a terminal. Without colours, each function returns the text unchanged. */
export type Colours = Record<'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', (text: string) => string>;

export type TreeOptions = {
  /** Prints every check by section, instead of counts and the checks that did not pass. */
  readonly isWhole?: boolean;
  /** Width of the terminal in characters; undefined without a terminal. */
  readonly columns?: number | undefined;
  /** Lines above the exit code that suggest a next step. */
  readonly hints?: readonly string[];
};

const modelCharactersMax = 100;
const detailCharactersMax = 500;
/** How many reasons for inconclusive checks are printed, and how many requirements for each. */
const reasonsMax = 10;
const idsMax = 12;

/**
 * Renders the report for a terminal, with the verdict and the exit code last. For a target that never
 * responded, it prints only the cause. Each line starts with text of the suite, because a CI takes the
 * beginning of a line for a command (D-128).
 */
export function renderTree(report: Report, colours: Colours, options: TreeOptions = {}): string {
  return uncommanded(renderLines(report, colours, options).join('\n'));
}

function renderLines(report: Report, colours: Colours, options: TreeOptions): readonly string[] {
  const unreached = unreachedLine(report, detailCharactersMax);
  if (unreached !== undefined) return [unreached, verdictLine(report), exitLine(report), ''];
  const { isWhole = false, hints = [] } = options;
  return [
    `${colours.bold(report.target)}${report.model === null ? '' : ` · ${visibleLine(report.model, modelCharactersMax)}`}`,
    ...(isWhole ? wholeTree(report, colours) : ['', ...countsLines(report, options.columns)]),
    ...findingLines(report, colours, isWhole),
    '',
    ...staleLines(report).map((line) => colours.red(line)),
    ...caveats(report),
    colours.bold(verdictLine(report)),
    ...runLines(report),
    ...hints,
    exitLine(report),
    '',
  ];
}

/** Every check in scope, by section of the contract. */
function wholeTree({ results, ...report }: Report, colours: Colours): readonly string[] {
  const shown = results.filter(({ outcome }) => outcome !== 'disabled');
  const sections = Map.groupBy(shown, ({ section }) => section);
  const inOrder = [...sections].sort(([one], [other]) => compareSections(one, other));
  return inOrder.flatMap(([section, own]) => [
    '',
    colours.bold(`${section}  ${sectionTitles[section] ?? ''}`),
    ...own.flatMap((result) => resultLines(result, { results, ...report }, colours)),
  ]);
}

/**
 * Checks that did not pass, the worst last. One line per check suffices under the whole tree, which has the
 * evidence.
 */
function findingLines(report: Report, colours: Colours, isWhole: boolean): readonly string[] {
  const { open, warnings, failures, errors } = collectFindings(report);
  const rows = [...warnings, ...failures, ...errors];
  if (isWhole) {
    const lines = rows.flatMap((row) => decisive(row).slice(0, 1));
    return lines.length === 0 ? [] : ['', ...lines.map((result) => shortLine(result, colours))];
  }
  return [
    ...(open.length === 0 ? [] : ['', colours.bold('Could not be exercised')]),
    ...open.slice(0, reasonsMax).flatMap((group) => openLines(group, colours)),
    ...(open.length > reasonsMax
      ? [`  and for ${open.length - reasonsMax} more reasons (--verbose shows all)`]
      : []),
    ...rows.flatMap((row) => [
      '',
      ...decisive(row).flatMap((result) => resultLines(result, report, colours)),
    ]),
  ];
}

function openLines({ reason, results }: OpenGroup, colours: Colours): readonly string[] {
  const { mark, colour } = marks.inconclusive;
  const ids = listRequirements(results);
  const more = ids.length > idsMax ? `, and ${ids.length - idsMax} more` : '';
  const count = `${results.length} ${results.length === 1 ? 'check' : 'checks'}`;
  return [
    `  ${colours[colour](`${mark} ${count}`)}: ${visibleLine(reason, detailCharactersMax)}`,
    `      ${colours.dim(`${ids.slice(0, idsMax).join(', ')}${more}`)}`,
  ];
}

function shortLine({ outcome, requirement, detail, expected }: Result, colours: Colours): string {
  const { mark, colour } = marks[outcome];
  const words = `${requirement}${expected ? ' (expected)' : ''}: ${visibleLine(detail, detailCharactersMax)}`;
  return colours[colour](`${mark} ${words}`);
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
