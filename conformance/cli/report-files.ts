import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import type { Report } from '../engine/report.ts';
import { endingsSaid, type Render, renderFor } from '../report/formats.ts';
import { renderMarkdown } from '../report/markdown.ts';

/** Where a CI run of this platform collects its summary. */
export const stepSummaryVariable = 'GITHUB_STEP_SUMMARY';

export type ReportFiles =
  /** Writes what can be written, and says what could not. */
  | { readonly ok: true; write(report: Report): readonly string[] }
  | { readonly ok: false; readonly fault: string };

/** Opened before anything is sent: a run must not be lost for want of a folder. */
export function openReports(paths: readonly string[], summaryPath: string | undefined): ReportFiles {
  const files: { readonly path: string; readonly render: Render; readonly descriptor: number }[] = [];
  for (const path of paths) {
    const render = renderFor(path);
    if (!render) return { ok: false, fault: `--report ${path} is none of ${endingsSaid}` };
    try {
      files.push({ path, render, descriptor: openSync(path, 'w') });
    } catch (error) {
      return { ok: false, fault: `--report ${path} cannot be written: ${reasonOf(error)}` };
    }
  }
  return {
    ok: true,
    write(report) {
      const writings = files.map(({ path, render, descriptor }) =>
        faultOf(`--report ${path}`, () => {
          writeFileSync(descriptor, render(report));
          closeSync(descriptor);
        }),
      );
      if (summaryPath !== undefined) {
        writings.push(faultOf(summaryPath, () => appendFileSync(summaryPath, renderMarkdown(report))));
      }
      return writings.filter((fault) => fault !== undefined);
    },
  };
}

function faultOf(name: string, write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return `${name} cannot be written: ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
