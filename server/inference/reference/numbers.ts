import { numberAt, type Schema } from './schema.ts';

/** Whether a number satisfies the keywords for numbers. */
export function numberFits(value: number, schema: Schema, isInteger: boolean): boolean {
  const { least, most, isLeastOpen, isMostOpen } = boundsOf(schema);
  const step = numberAt(schema, 'multipleOf');
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  if (value < least || (isLeastOpen && value === least)) return false;
  if (value > most || (isMostOpen && value === most)) return false;
  return step === undefined || Number.isInteger(value / step);
}

/** Multiples that are tried before a schema counts as one that no number satisfies. */
const multiplesMax = 1_000;

/** A plain number that satisfies a schema, another one for another `index`; undefined where none is found. */
export function makeNumber(schema: Schema, isInteger: boolean, index: number): number | undefined {
  const { least, most } = boundsOf(schema);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? Math.min(most - index, 0) : 0;
  const to = Number.isFinite(most) ? most : from + 2;
  const step = numberAt(schema, 'multipleOf');
  const made =
    step === undefined || step <= 0
      ? [
          1,
          0,
          Math.ceil(from),
          from,
          Math.floor(from) + 1,
          Math.floor(to),
          to,
          (from + to) / 2,
          from + (to - from) / 64,
        ]
      : Array.from({ length: multiplesMax }, (_, count) => (Math.ceil(from / step) + count) * step);
  const fitting = made
    .flatMap((value) => (step === undefined && index > 0 ? [value + index, value - index, value] : [value]))
    // No minus zero: JSON writes it as 0, and the words around it would not.
    .map((value) => (value === 0 ? 0 : value))
    .filter((value) => numberFits(value, schema, isInteger));
  return [...new Set(fitting)][step === undefined ? 0 : index] ?? fitting[0];
}

type Bounds = {
  readonly least: number;
  readonly most: number;
  readonly isLeastOpen: boolean;
  readonly isMostOpen: boolean;
};

/** An exclusive bound is a number, or, in the drafts that OpenAPI 3.0 still speaks, `true` beside the other one. */
function boundsOf(schema: Schema): Bounds {
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
