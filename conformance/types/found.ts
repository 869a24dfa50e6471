import { type NotApplicable, notApplicable, type Unknown, unknown } from './verdict.ts';

/** The value of a precondition, or the verdict for every check that needs it. */
export type Found<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly verdict: Unknown | NotApplicable };

export function found<T>(value: T): Found<T> {
  return { ok: true, value };
}

export function missing<T>(reason: string): Found<T> {
  return { ok: false, verdict: unknown(reason) };
}

/** A missing precondition that a deployment may leave out. */
export function inapplicable<T>(reason: string): Found<T> {
  return { ok: false, verdict: notApplicable(reason) };
}

/** Judges a value; a missing precondition is itself the verdict. */
export async function given<T, V>(
  precondition: Promise<Found<T>>,
  judge: (value: T) => V | Promise<V>,
): Promise<V | Unknown | NotApplicable> {
  const known = await precondition;
  return known.ok ? judge(known.value) : known.verdict;
}
