import type { Spread } from './measure/statistics.ts';

/** A comparison within one run: ours over theirs, with the goal of the project. */
export type Ratio = {
  readonly name: string;
  readonly value: Spread;
  /** The least (`>=`) or greatest (`<=`) ratio that the project wants. */
  readonly goal?: { readonly sign: '>=' | '<='; readonly value: number };
};

/** One line of a table: the name of what was measured, and its figures by column. */
export type Row = { readonly name: string; readonly cells: Readonly<Record<string, Spread>> };

export type Report = {
  readonly id: string;
  readonly title: string;
  /** How the figures were measured, in a sentence or two. */
  readonly method: string;
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  readonly chart: Chart;
};

/** One column with a bar for each row, or several columns, each as a line over the rows. */
export type Chart = { readonly bars: string } | { readonly lines: readonly string[] };

export type BenchOptions = {
  /** Whether the run shall take at most two minutes for each section. Its figures are rough. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Seconds of load for each target in each round. */
  readonly seconds: number;
  /** Writes a line of progress. */
  readonly say: (line: string) => void;
};

export type Section = {
  /** The letter that `--only` takes. */
  readonly id: string;
  readonly title: string;
  readonly run: (options: BenchOptions) => Promise<Report>;
};
