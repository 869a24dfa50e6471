import { pathLengthMax } from './param.ts';

/**
 * Counts the members of all objects in a parsed value. JSON text has one colon outside strings for each member.
 * So fewer members than colons mean a duplicate name.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  for (const member of Object.values(value)) members += 1 + countMembers(member);
  return members;
}

type Level = { readonly names: Set<string> | null; step: string };

/**
 * The path of a duplicate name in valid JSON text, as `error.param` shows it (D-08). Null for none or a too
 * long path.
 */
export function repeatedName(text: string): string | null {
  const levels: Level[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{},]/g)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), step: '' });
    else if (token === '[') levels.push({ names: null, step: '[0]' });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level?.names === null) level.step = `[${Number(level.step.slice(1, -1)) + 1}]`;
    else if (token.endsWith(':') && level?.names) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      level.step = `.${name}`;
      if (level.names.has(name)) return formatPath(levels);
      level.names.add(name);
    }
  }
  return null;
}

function formatPath(levels: readonly Level[]): string | null {
  const path = levels.map(({ step }) => step).join('');
  return path.length > pathLengthMax ? null : path.replace(/^\./, '');
}
