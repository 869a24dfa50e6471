import { closeSync, existsSync, ftruncateSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileReason } from '../payment/file-reason.ts';

/** The variable that names the summary file of a CI step. */
export const stepSummaryVariable = 'GITHUB_STEP_SUMMARY';

/** How to render the reports of a command. */
export type Formats<Report> = {
  /** The endings of file names, in words. */
  readonly endings: string;
  readonly renderFor: (path: string) => Render<Report> | undefined;
};
type Render<Report> = (report: Report) => string;

/** The file of a CI step, and the rendering that is appended to it. */
export type Summary<Report> = { readonly path: string; readonly render: Render<Report> };

export type ReportFiles<Report> =
  | {
      readonly ok: true;
      /** Writes each report that can be written, and returns the faults of the others. */
      write(report: Report): readonly string[];
      /** Closes the files without writing, and leaves earlier reports unchanged. */
      discard(): void;
    }
  | { readonly ok: false; readonly fault: string };

type Open<Report> = {
  /** The file as messages name it. */
  readonly name: string;
  readonly path: string;
  readonly render: Render<Report>;
  readonly descriptor: number;
  readonly isNew: boolean;
  /** The file keeps its old contents. */
  readonly isSummary?: true;
};

/**
 * Opens the files before anything is sent, so that a missing folder cannot lose a run. Old contents stay until
 * the report is written.
 */
export function openReports<Report>(
  paths: readonly string[],
  formats: Formats<Report>,
  summary?: Summary<Report>,
): ReportFiles<Report> {
  const files: Open<Report>[] = [];
  const discard = () => {
    for (const { path, descriptor, isNew } of files) {
      closeSync(descriptor);
      if (isNew) unlinkSync(path);
    }
  };
  const all = [
    ...paths.map((path) => openReport(path, formats)),
    ...(summary === undefined ? [] : [openSummary(summary)]),
  ];
  for (const opened of all) if (typeof opened !== 'string') files.push(opened);
  const fault = all.find((opened) => typeof opened === 'string');
  if (fault !== undefined) {
    discard();
    return { ok: false, fault };
  }
  return {
    ok: true,
    discard,
    write(report) {
      const writings = files.map(({ name, path, render, descriptor, isSummary }) =>
        tryWrite(name, path, () => {
          if (!isSummary) ftruncateSync(descriptor, 0);
          writeFileSync(descriptor, render(report));
          closeSync(descriptor);
        }),
      );
      return writings.filter((each) => each !== undefined);
    },
  };
}

function openReport<Report>(path: string, { endings, renderFor }: Formats<Report>): Open<Report> | string {
  const render = renderFor(path);
  if (!render) return `--report ${path} has no known format. Use ${endings}`;
  return open({ name: `--report ${path}`, path, render });
}

/** Other programs may append to the file too, so its contents stay. */
function openSummary<Report>({ path, render }: Summary<Report>): Open<Report> | string {
  return open({ name: path, path, render, isSummary: true });
}

function open<Report>(file: Omit<Open<Report>, 'descriptor' | 'isNew'>): Open<Report> | string {
  const { name, path } = file;
  try {
    const isNew = !existsSync(path);
    return { ...file, descriptor: openSync(path, 'a'), isNew };
  } catch (error) {
    return `${name} cannot be written: ${fileReason(error, path)}`;
  }
}

function tryWrite(name: string, path: string, write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return `${name} cannot be written: ${fileReason(error, path)}`;
  }
}
