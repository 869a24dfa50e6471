/**
 * Steps that the arguments of one call may take, each about a quarter of a microsecond at most, so that nobody's schema holds up
 * the others for more than some 50 ms. A schema that needs more counts as one that nothing satisfies.
 */
export const stepsMax = 200_000;

/** Work that may still be done for one call: schemas can be made that are endless, or just very wide. */
export type Budget = { steps: number };

/** Entries of `examples`, `type`, `anyOf` and `oneOf` that are looked at: one that fits is enough. */
export const entriesMax = 64;

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
