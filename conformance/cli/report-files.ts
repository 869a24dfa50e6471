import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
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
  readonly path: string;
  readonly render: Render<Report>;
  readonly descriptor: number;
  readonly isNew: boolean;
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
  for (const path of paths) {
    const opened = open(path, formats);
    if (typeof opened === 'string') {
      discard();
      return { ok: false, fault: opened };
    }
    files.push(opened);
  }
  return {
    ok: true,
    discard,
    write(report) {
      const writings = files.map(({ path, render, descriptor }) =>
        tryWrite(`--report ${path}`, path, () => {
          ftruncateSync(descriptor, 0);
          writeFileSync(descriptor, render(report));
          closeSync(descriptor);
        }),
      );
      if (summary !== undefined) {
        const { path, render } = summary;
        writings.push(tryWrite(path, path, () => appendFileSync(path, render(report))));
      }
      return writings.filter((fault) => fault !== undefined);
    },
  };
}

function open<Report>(path: string, { endings, renderFor }: Formats<Report>): Open<Report> | string {
  const render = renderFor(path);
  if (!render) return `--report ${path} has no known format. Use ${endings}`;
  try {
    const isNew = !existsSync(path);
    return { path, render, descriptor: openSync(path, 'a'), isNew };
  } catch (error) {
    return `--report ${path} cannot be written: ${fileReason(error, path)}`;
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
