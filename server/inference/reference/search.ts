import type { Budget } from './budget.ts';
import type { Facts } from './facts.ts';
import type { Schema } from './json-schema.ts';
import type { Pattern } from './pattern.ts';

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
