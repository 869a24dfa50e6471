import type { Report } from '../engine/report.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import { byRequirement, bySection } from './by-requirement.ts';
import { marks } from './marks.ts';
import { sectionTitles } from './sections.ts';

/** Number of requirements by section and outcome. */
export type SectionCounts = {
  /** Outcomes that occur, in the order of `outcomes`. */
  readonly columns: readonly Outcome[];
  readonly rows: readonly {
    readonly section: string;
    readonly title: string;
    readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  }[];
};

/** Leaves out requirements that are out of scope, and sections without others. */
export function sectionCounts(report: Report): SectionCounts {
  const rows = byRequirement(report).filter(({ outcome }) => outcome !== 'disabled');
  return {
    columns: outcomes.filter((outcome) => rows.some((row) => row.outcome === outcome)),
    rows: [...bySection(rows)].map(([section, own]) => ({
      section,
      title: sectionTitles[section] ?? '',
      counts: Object.fromEntries(
        outcomes.map((outcome) => [outcome, own.filter((row) => row.outcome === outcome).length]),
      ),
    })),
  };
}

const gap = 2;
const sectionWidth = 6;
/** Outcomes whose column heads need a legend. */
const explained: readonly Outcome[] = ['observed', 'inconclusive', 'not-applicable'];

/** The same table as plain text. Titles are cut to fit the width of the terminal. */
export function countsLines(report: Report, columnsMax: number | undefined): readonly string[] {
  const { columns, rows } = sectionCounts(report);
  const counted = columns.map((outcome) => ({
    outcome,
    width: gap + Math.max(4, marks[outcome].short.length),
  }));
  const countsWidth = counted.reduce((sum, { width }) => sum + width, 0);
  const longest = Math.max(0, ...rows.map(({ title }) => title.length));
  const room = (columnsMax || Number.POSITIVE_INFINITY) - sectionWidth - countsWidth - 1;
  const titleWidth = Math.max(0, Math.min(longest, room));
  const lead = (section: string, title: string) =>
    section.padEnd(sectionWidth) + title.slice(0, titleWidth).padEnd(titleWidth);
  const head = counted.map(({ outcome, width }) => marks[outcome].short.padStart(width));
  const legend = explained.filter((outcome) => columns.includes(outcome));
  return [
    `${lead('', 'Section')}${head.join('')}`,
    ...rows.map(({ section, title, counts }) => {
      const cells = counted.map(({ outcome, width }) => `${counts[outcome] || ''}`.padStart(width));
      return `${lead(section, title)}${cells.join('')}`.trimEnd();
    }),
    ...(legend.length === 0 ? [] : ['']),
    ...legend.map((outcome) => `${`${marks[outcome].short}:`.padEnd(sectionWidth)}${marks[outcome].meaning}`),
  ];
}
