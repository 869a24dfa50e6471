import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import type { Report } from '../engine/report.ts';
import { endingsSaid, type Render, renderFor } from '../report/formats.ts';
import { renderMarkdown } from '../report/markdown.ts';

/** Where a CI run of this platform collects its summary. */
export const stepSummaryVariable = 'GITHUB_STEP_SUMMARY';

export type ReportFiles =
  | { readonly ok: true; write(report: Report): void }
  | { readonly ok: false; readonly fault: string };

/** Opened before anything is sent: a run must not be lost for want of a folder. */
export function openReports(paths: readonly string[], summaryPath: string | undefined): ReportFiles {
  const files: { readonly render: Render; readonly descriptor: number }[] = [];
  for (const path of paths) {
    const render = renderFor(path);
    if (!render) return { ok: false, fault: `--report ${path} is none of ${endingsSaid}` };
    try {
      files.push({ render, descriptor: openSync(path, 'w') });
    } catch {
      return { ok: false, fault: `--report ${path} cannot be written` };
    }
  }
  return {
    ok: true,
    write(report) {
      for (const { render, descriptor } of files) {
        writeFileSync(descriptor, render(report));
        closeSync(descriptor);
      }
      if (summaryPath !== undefined) appendFileSync(summaryPath, renderMarkdown(report));
    },
  };
}
