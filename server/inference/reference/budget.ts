/**
 * The steps that the arguments of one call may take, each about a quarter of a microsecond at most, so that no
 * schema delays others by more than about 50 ms. A schema that needs more steps counts as unsatisfiable.
 */
export const stepsMax = 200_000;

/** The steps left for one call, because schemas can be endless or very wide. */
export type Budget = { steps: number };

/** The most entries of `examples`, `type`, `anyOf` and `oneOf` that are read. One that fits is enough. */
export const entriesMax = 64;

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
