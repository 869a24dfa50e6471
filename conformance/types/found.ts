import { type NotApplicable, notApplicable, type Unknown, unknown } from './verdict.ts';

/** A precondition that was met, or the verdict of every check that needed it. */
export type Found<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly verdict: Unknown | NotApplicable };

export function found<T>(value: T): Found<T> {
  return { ok: true, value };
}

export function missing<T>(reason: string): Found<T> {
  return { ok: false, verdict: unknown(reason) };
}

/** A precondition that a deployment need not bring about. */
export function inapplicable<T>(reason: string): Found<T> {
  return { ok: false, verdict: notApplicable(reason) };
}

/** Judges what was found; a missing precondition is the verdict itself. */
export async function given<T, V>(
  precondition: Promise<Found<T>>,
  judge: (value: T) => V | Promise<V>,
): Promise<V | Unknown | NotApplicable> {
  const known = await precondition;
  return known.ok ? judge(known.value) : known.verdict;
}

/** Goes from one precondition to the next. */
export async function andThen<T, U>(
  precondition: Promise<Found<T>>,
  next: (value: T) => Found<U> | Promise<Found<U>>,
): Promise<Found<U>> {
  const known = await precondition;
  return known.ok ? next(known.value) : known;
}
