import { type Budget, spend } from './budget.ts';
import { numberAt, type Schema } from './json-schema.ts';

/** Whether a number satisfies the keywords for numbers. */
export function numberFits(value: number, schema: Schema, isInteger: boolean): boolean {
  const { least, most, isLeastOpen, isMostOpen } = readBounds(schema);
  const step = numberAt(schema, 'multipleOf');
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  if (value < least || (isLeastOpen && value === least)) return false;
  if (value > most || (isMostOpen && value === most)) return false;
  return step === undefined || Number.isInteger(value / step);
}

/** The most multiples that are tried before a schema counts as unsatisfiable. */
const multiplesMax = 1_000;

const stepsOfMultiple = 2;
const stepsOfNumber = 20;

/**
 * Makes a plain number that satisfies a schema, a different one for each `index`; undefined when none is found.
 */
export function makeNumber(
  schema: Schema,
  isInteger: boolean,
  index: number,
  budget: Budget,
): number | undefined {
  const { least, most } = readBounds(schema);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? Math.min(most - index, 0) : 0;
  const to = Number.isFinite(most) ? most : from + 2;
  const step = numberAt(schema, 'multipleOf');
  if (step !== undefined && step > 0) {
    const fitting = new Set<number>();
    for (let count = 0; count < multiplesMax && fitting.size <= index; count++) {
      if (!spend(budget, stepsOfMultiple)) return undefined;
      const value = plain((Math.ceil(from / step) + count) * step);
      if (numberFits(value, schema, isInteger)) fitting.add(value);
    }
    const all = [...fitting];
    return all[index] ?? all[0];
  }
  if (!spend(budget, stepsOfNumber)) return undefined;
  const middle = [(from + to) / 2, from + (to - from) / 64];
  return [1, 0, Math.ceil(from), from, Math.floor(from) + 1, Math.floor(to), to, ...middle]
    .flatMap((value) => (step === undefined && index > 0 ? [value + index, value - index, value] : [value]))
    .map(plain)
    .find((value) => numberFits(value, schema, isInteger));
}

/** Replaces minus zero, which JSON writes as 0 and a template string would too. */
function plain(value: number): number {
  return value === 0 ? 0 : value;
}

type Bounds = {
  readonly least: number;
  readonly most: number;
  readonly isLeastOpen: boolean;
  readonly isMostOpen: boolean;
};

/** Reads the bounds. An exclusive bound is a number or, as in OpenAPI 3.0, `true` beside the other bound. */
function readBounds(schema: Schema): Bounds {
  const closedLeast = numberAt(schema, 'minimum') ?? -Infinity;
  const closedMost = numberAt(schema, 'maximum') ?? Infinity;
  const openLeast = numberAt(schema, 'exclusiveMinimum') ?? -Infinity;
  const openMost = numberAt(schema, 'exclusiveMaximum') ?? Infinity;
  return {
    least: Math.max(closedLeast, openLeast),
    most: Math.min(closedMost, openMost),
    isLeastOpen: schema['exclusiveMinimum'] === true || openLeast >= closedLeast,
    isMostOpen: schema['exclusiveMaximum'] === true || openMost <= closedMost,
  };
}
