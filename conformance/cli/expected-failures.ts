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
 * Reads the list of expected failures: a YAML or JSON sequence of `id`, `reason` and, optionally, `issue`. A
 * fault names the line.
 */
export function readExpectedFailures(path: string): ExpectedFailuresRead {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { ok: false, fault: `--expected-failures ${path} cannot be read: ${fileReason(error, path)}` };
  }
  if (text.length > bytesMax)
    return { ok: false, fault: `${path} has ${text.length} characters; the limit is ${bytesMax}` };
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
  // A file with comments only is an empty list.
  if (document.contents === null) return { ok: true, entries: [] };
  if (!isSeq(document.contents))
    return fault(document.contents.range?.[0], 'the file must be a list of entries with id and reason');
  const entries = new Map<RequirementId, ExpectedFailure>();
  for (const item of document.contents.items) {
    if (!isMap(item)) return fault(readOffset(item), 'an entry must have id and reason');
    const entry = readEntry(item, lineAt(item.range?.[0]));
    if (typeof entry === 'string') return fault(item.range?.[0], entry);
    const twin = entries.get(entry.requirement);
    if (twin) return fault(item.range?.[0], `${entry.requirement} is already listed in line ${twin.line}`);
    entries.set(entry.requirement, entry);
  }
  return { ok: true, entries: [...entries.values()] };
}

/** Returns the entry, or a text that names its fault. */
function readEntry(item: YAMLMap, line: number): ExpectedFailure | string {
  const unknown = item.items.map(({ key }) => String(key)).find((key) => !fields.has(key));
  if (unknown !== undefined) return `unknown field ${unknown}. An entry has id, reason and issue`;
  const [id, reason, issue] = [item.get('id'), item.get('reason'), item.get('issue')];
  if (typeof id !== 'string') return 'an entry needs an id';
  if (!isRequirementId(id)) return `unknown requirement ${id}`;
  if (requirements[id].level === 'OBSERVED')
    return `${id} is only observed and never fails. Remove it from the list`;
  if (typeof reason !== 'string' || reason.trim() === '') return `${id} needs a reason`;
  if (issue !== undefined && typeof issue !== 'string') return `the issue of ${id} must be a string`;
  return { requirement: id, reason, ...(issue !== undefined && { issue }), line };
}

function isRequirementId(text: string): text is RequirementId {
  return Object.hasOwn(requirements, text);
}

function readOffset(item: unknown): number | undefined {
  const range: unknown =
    typeof item === 'object' && item !== null && 'range' in item ? item.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}
