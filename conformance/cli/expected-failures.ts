import { readFileSync } from 'node:fs';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { isMap, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import type { ExpectedFailure } from '../engine/report.ts';

import { fileReason } from '../payment/file-reason.ts';

export type ExpectedFailuresRead =
  | { readonly ok: true; readonly entries: readonly ExpectedFailure[] }
  | { readonly ok: false; readonly fault: string };

const fields = new Set(['id', 'reason', 'issue']);
const bytesMax = 1_000_000;

/**
 * Reads a list of failures that are known: YAML (or JSON), a sequence of `id`, `reason` and, where there is one, `issue`. A fault
 * names the line.
 */
export function readExpectedFailures(path: string): ExpectedFailuresRead {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { ok: false, fault: `--expected-failures ${path} cannot be read: ${fileReason(error, path)}` };
  }
  if (text.length > bytesMax) return { ok: false, fault: `${path} is longer than ${bytesMax} characters` };
  return parseExpectedFailures(text, path);
}

export function parseExpectedFailures(text: string, path: string): ExpectedFailuresRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const fault = (offset: number | undefined, what: string): ExpectedFailuresRead => ({
    ok: false,
    fault: `${path}, line ${lineAt(offset)}: ${what}`,
  });

  const [error] = document.errors;
  if (error) return fault(error.pos[0], error.message.split('\n')[0] ?? 'not YAML');
  // A file of comments only expects nothing.
  if (document.contents === null) return { ok: true, entries: [] };
  if (!isSeq(document.contents)) return fault(document.contents.range?.[0], 'not a list of id and reason');
  const entries = new Map<RequirementId, ExpectedFailure>();
  for (const item of document.contents.items) {
    if (!isMap(item)) return fault(offsetOf(item), 'not an entry of id and reason');
    const entry = readEntry(item, lineAt(item.range?.[0]));
    if (typeof entry === 'string') return fault(item.range?.[0], entry);
    const twin = entries.get(entry.requirement);
    if (twin) return fault(item.range?.[0], `${entry.requirement} stands in line ${twin.line} already`);
    entries.set(entry.requirement, entry);
  }
  return { ok: true, entries: [...entries.values()] };
}

/** The entry, or what is wrong with it. */
function readEntry(item: YAMLMap, line: number): ExpectedFailure | string {
  const unknown = item.items.map(({ key }) => String(key)).find((key) => !fields.has(key));
  if (unknown !== undefined) return `unknown field ${unknown}: an entry has id, reason and issue`;
  const [id, reason, issue] = [item.get('id'), item.get('reason'), item.get('issue')];
  if (typeof id !== 'string') return 'an entry needs an id';
  if (!isRequirementId(id)) return `no requirement is called ${id}`;
  if (requirements[id].level === 'OBSERVED') return `${id} is only observed and can never fail`;
  if (typeof reason !== 'string' || reason.trim() === '') return `${id} needs a reason`;
  if (issue !== undefined && typeof issue !== 'string') return `the issue of ${id} is not a text`;
  return { requirement: id, reason, ...(issue !== undefined && { issue }), line };
}

function isRequirementId(text: string): text is RequirementId {
  return Object.hasOwn(requirements, text);
}

function offsetOf(item: unknown): number | undefined {
  const range: unknown =
    typeof item === 'object' && item !== null && 'range' in item ? item.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}
