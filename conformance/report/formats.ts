import { basename, extname } from 'node:path';
import type { Report } from '../engine/report.ts';
import { renderBadge } from './badge.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

export type Render = (report: Report) => string;

export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

const byEnding: Readonly<Record<string, Render>> = {
  '.json': renderJson,
  '.xml': renderJunit,
  '.html': renderHtml,
  '.md': renderMarkdown,
};

/**
 * Chooses the format by the ending of the file name; a name that ends in `badge.json` is the badge. Undefined
 * for unknown endings.
 */
export function renderFor(path: string): Render | undefined {
  return /^(.*[.-])?badge\.json$/.test(basename(path)) ? renderBadge : byEnding[extname(path)];
}

export const endingsSaid = '.json, .xml (JUnit), .html, .md, or badge.json';
