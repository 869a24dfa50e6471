import type { ToolResult } from './conversation.ts';
import { listed } from './words.ts';

/** The most values of one result in a sentence. */
const valuesMax = 100;
/** The deepest nesting of a result that is read. */
const depthMax = 6;
/** The most characters of one value. */
const valueCharactersMax = 4_000;
/** The most characters of one name, which is repeated with each of its values. */
const nameCharactersMax = 200;

/** Writes tool results as text: JSON as a sentence with all values, other text unchanged. */
export function tellResults(results: readonly ToolResult[]): string {
  return results.map(tellResult).join(' ');
}

function tellResult({ name, content }: ToolResult): string {
  const source = name === null ? 'The tool' : name;
  const value = parseJson(content);
  if (value === undefined) {
    const told = content.trim().slice(0, valueCharactersMax);
    return told === '' ? `${source} answered nothing.` : `${source} answered: ${told}`;
  }
  const told: string[] = [];
  collect(value, '', 0, told);
  if (told.length === 0) return `${source} answered with an empty result.`;
  return `According to ${name === null ? 'the tool' : name}, ${listed(told)}.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(value: unknown, path: string, depth: number, told: string[]): void {
  if (told.length >= valuesMax) return;
  if (typeof value !== 'object' || value === null) {
    told.push(path === '' ? `the answer is ${shown(value)}` : `${path} is ${shown(value)}`);
    return;
  }
  if (depth >= depthMax) {
    told.push(`${path} holds more`);
    return;
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object')) {
    const items = value.slice(0, valuesMax).map(shown);
    told.push(`${path === '' ? 'the answer' : path} ${items.length === 1 ? 'is' : 'are'} ${listed(items)}`);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (told.length >= valuesMax) return;
    const part = Array.isArray(value)
      ? String(Number(key) + 1)
      : key.slice(0, nameCharactersMax).replaceAll('_', ' ');
    collect(
      inner,
      path === '' ? (Array.isArray(value) ? `item ${part}` : part) : `${path} ${part}`,
      depth + 1,
      told,
    );
  }
}

function shown(value: unknown): string {
  return value === null ? 'unknown' : String(value).slice(0, valueCharactersMax);
}
