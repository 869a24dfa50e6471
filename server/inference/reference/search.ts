import type { Facts } from './facts.ts';

/**
 * A JSON Schema of a client. Any keyword may have any type, so each is read with the type that it should have.
 */
export type Schema = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function numberAt(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

export function listAt(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Whether a schema allows only listed values. */
export function isListed(schema: Schema): boolean {
  return Object.hasOwn(schema, 'const') || Array.isArray(schema['enum']);
}

/**
 * The steps that the arguments of one call may take, each about a quarter of a microsecond at most, so that no
 * schema delays others by more than about 50 ms. A schema that needs more steps counts as unsatisfiable.
 */
export const stepsMax = 200_000;

/** The most entries of `examples`, `type`, `anyOf` and `oneOf` that are read. One that fits is enough. */
export const entriesMax = 64;

/** The steps left for one call, because schemas can be endless or very wide. */
export type Budget = { steps: number };

/** Takes steps from a budget. False once there are none left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.steps -= steps;
  return budget.steps > 0;
}

/**
 * Writes a value as JSON and spends its length, because a schema may name the same long value in many places.
 */
export function written(value: unknown, budget: Budget): string {
  const text = budget.steps > 0 ? (JSON.stringify(value) ?? '') : '';
  spend(budget, 1 + text.length);
  return text;
}

/**
 * A client's regular expression. `RegExp` never runs it, because it takes exponential time for some patterns.
 */
export type Pattern = {
  matches(text: string): boolean;
  /** Makes strings that probably match, the shortest first, then some of at least `lengthMin` characters. */
  make(lengthMin: number, index: number): Iterable<string>;
};

/** The state of making the arguments of one call, with caches so that nothing is computed twice. */
export type Search = {
  /** The schema of all arguments, in which references are resolved. */
  readonly root: Schema;
  readonly facts: Facts;
  readonly isTerse: boolean;
  readonly budget: Budget;
  /** The numbers of the message that no argument has used yet. */
  readonly unused: number[];
  /** The parsed patterns, by their source; null for one that is not supported. */
  readonly patterns: Map<string, Pattern | null>;
  /** The values of each enumeration. */
  readonly listed: Map<unknown, Listed>;
};

/** The values of an enumeration. The first `mentioned` ones occur in the user's message. */
export type Listed = { readonly values: readonly unknown[]; readonly mentioned: number };
