import { extname } from 'node:path';
import type { ClientReport } from '../report.ts';
import { renderClientHtml } from './html.ts';
import { renderClientJunit } from './junit.ts';
import { renderClientMarkdown } from './markdown.ts';

export function renderClientJson(report: ClientReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

const byEnding: Readonly<Record<string, (report: ClientReport) => string>> = {
  '.json': renderClientJson,
  '.xml': renderClientJunit,
  '.html': renderClientHtml,
  '.md': renderClientMarkdown,
};

/** The formats of `--report`, by the ending of the file name. */
export const clientFormats = {
  endings: '.json, .xml (JUnit), .html or .md',
  renderFor: (path: string) => byEnding[extname(path)],
};
