import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Report } from '../engine/report.ts';
import { fileReason } from '../payment/file-reason.ts';
import { endingsSaid, type Render, renderFor } from '../report/formats.ts';
import { renderMarkdown } from '../report/markdown.ts';

/** The variable that names the summary file of a CI step. */
export const stepSummaryVariable = 'GITHUB_STEP_SUMMARY';

export type ReportFiles =
  | {
      readonly ok: true;
      /** Writes each report that can be written, and returns the faults of the others. */
      write(report: Report): readonly string[];
      /** Closes the files without writing, and leaves earlier reports unchanged. */
      discard(): void;
    }
  | { readonly ok: false; readonly fault: string };

type Open = {
  readonly path: string;
  readonly render: Render;
  readonly descriptor: number;
  readonly isNew: boolean;
};

/**
 * Opens the files before anything is sent, so that a missing folder cannot lose a run. Old contents stay until
 * the report is written.
 */
export function openReports(paths: readonly string[], summaryPath: string | undefined): ReportFiles {
  const files: Open[] = [];
  const discard = () => {
    for (const { path, descriptor, isNew } of files) {
      closeSync(descriptor);
      if (isNew) unlinkSync(path);
    }
  };
  for (const path of paths) {
    const opened = open(path);
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
      if (summaryPath !== undefined) {
        writings.push(
          tryWrite(summaryPath, summaryPath, () => appendFileSync(summaryPath, renderMarkdown(report))),
        );
      }
      return writings.filter((fault) => fault !== undefined);
    },
  };
}

function open(path: string): Open | string {
  const render = renderFor(path);
  if (!render) return `--report ${path} has no known format. Use ${endingsSaid}`;
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
