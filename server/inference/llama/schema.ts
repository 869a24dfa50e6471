import { GrammarFault } from './gbnf.ts';

export type Schema = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The types of a schema. A schema without a type says by its keywords which one it means, else it allows any value. */
export function listTypes(schema: Schema): readonly unknown[] {
  const { type } = schema;
  if (Array.isArray(type)) return type;
  if (type !== undefined) return [type];
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : ['value'];
}

export function readBound(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
}

/** Finds the schema of a reference such as `#/$defs/place`. */
export function follow(reference: string, root: unknown): unknown {
  const [start, ...steps] = reference.split('/');
  if (start !== '#') throw new GrammarFault('a reference leads out of the schema');
  let found = root;
  for (const step of steps) {
    const name = readStep(step);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      throw new GrammarFault('a reference of the schema leads nowhere');
    found = (found as Schema)[name];
  }
  return found;
}

function readStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new GrammarFault('a reference of the schema leads nowhere');
  }
}

/** The properties of all branches together. For any other keyword, the last branch with it counts. */
export function merge(own: Schema, branches: readonly unknown[], root: unknown): Schema {
  let merged = own;
  for (const branch of branches) {
    const { $ref: reference, ...given } = isRecord(branch) ? branch : {};
    const target = typeof reference === 'string' ? follow(reference, root) : given;
    if (!isRecord(target)) continue;
    merged = { ...merged, ...target, ...join(merged, target) };
  }
  return merged;
}

function join(one: Schema, other: Schema): Schema {
  const properties = { ...record(one['properties']), ...record(other['properties']) };
  const required = [...list(one['required']), ...list(other['required'])];
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function record(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Requires that no rule begins with itself, through other rules either. llama.cpp would recurse without end in such a
 * rule, and the schema comes from the client. Takes a rule away once no other one is left at its beginning.
 */
export function requireBeginning(beginnings: ReadonlyMap<string, ReadonlySet<string>>): void {
  const users = new Map([...beginnings.keys()].map((name) => [name, [] as string[]]));
  for (const [name, starts] of beginnings) for (const start of starts) users.get(start)?.push(name);
  const left = new Map([...beginnings].map(([name, starts]) => [name, starts.size]));
  const clear = [...left].filter(([, starts]) => starts === 0).map(([name]) => name);
  for (const name of clear) {
    for (const user of users.get(name) ?? []) {
      const starts = (left.get(user) ?? 0) - 1;
      left.set(user, starts);
      if (starts === 0) clear.push(user);
    }
  }
  if (clear.length < beginnings.size) throw new GrammarFault('a reference of the schema leads to itself');
}
