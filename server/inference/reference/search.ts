import type { Budget } from './budget.ts';
import type { Facts } from './facts.ts';
import type { Schema } from './json-schema.ts';
import type { Pattern } from './pattern.ts';

/** The state of making the arguments of one call, with caches so that nothing is computed twice. */
export type Search = {
  /** The schema of all arguments, in which references are resolved. */
  readonly root: Schema;
  readonly facts: Facts;
  readonly isTerse: boolean;
  readonly budget: Budget;
  /** The numbers of the message that no argument has used yet. */
  readonly unused: number[];
  /** The variants of each reference, by its pointer. */
  readonly referred: Map<string, Iterable<Schema>>;
  /** The parsed patterns, by their source. */
  readonly patterns: Map<string, Pattern | null>;
  /** The values of each enumeration that occur in the message. */
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
