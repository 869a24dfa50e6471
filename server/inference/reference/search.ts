import type { Facts } from './facts.ts';
import type { Pattern } from './pattern.ts';
import type { Schema } from './schema.ts';

/**
 * Steps that the arguments of one call may take, each about a quarter of a microsecond at most, so that nobody's schema holds up
 * the others for more than some 50 ms. A schema that needs more counts as one that nothing satisfies.
 */
export const stepsMax = 200_000;

/** Work that may still be done for one call: schemas can be made that are endless, or just very wide. */
export type Budget = { steps: number };

/** Entries of `examples`, `type`, `anyOf` and `oneOf` that are looked at: one that fits is enough. */
export const entriesMax = 64;

/** What making the arguments of one call knows and remembers, so that nothing is found out twice. */
export type Search = {
  /** The schema of all the arguments, in which references are looked up. */
  readonly root: Schema;
  readonly facts: Facts;
  readonly isTerse: boolean;
  readonly budget: Budget;
  /** Numbers of the message that no argument has taken yet. */
  readonly unused: number[];
  /** What each reference came to, by its pointer. */
  readonly referred: Map<string, Iterable<Schema>>;
  /** The patterns that were read, by their source. */
  readonly patterns: Map<string, Pattern | null>;
  /** The values of each enumeration that stand in the message. */
  readonly mentioned: Map<readonly unknown[], ReadonlySet<unknown>>;
};

export function openSearch(
  root: Schema,
  facts: Facts,
  { isTerse, budget }: { readonly isTerse: boolean; readonly budget: Budget },
): Search {
  const memories = { referred: new Map(), patterns: new Map(), mentioned: new Map() };
  return { root, facts, isTerse, budget, unused: [...facts.numbers], ...memories };
}

/** Takes steps from a budget; false once there are none left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.steps -= steps;
  return budget.steps > 0;
}

/** A value as JSON, paid for by its length, since a schema may name the same long value in many places. */
export function written(value: unknown, budget: Budget): string {
  const text = budget.steps > 0 ? (JSON.stringify(value) ?? '') : '';
  spend(budget, 1 + text.length);
  return text;
}
