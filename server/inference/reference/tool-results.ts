import type { ToolResult } from './conversation.ts';
import { listed } from './words.ts';

/** Values told of one result; more would be no sentence any more. */
const valuesMax = 100;
/** How far into a result it is looked. */
const depthMax = 6;
/** Characters told of one value. */
const valueCharactersMax = 4_000;
/** The same for one name, which is told again with each value in it. */
const nameCharactersMax = 200;

/** Says what the tools answered: JSON as a sentence with every value in it, other text as it is. */
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
