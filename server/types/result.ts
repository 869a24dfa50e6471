/** The outcome of a call that a caller can make fail. The compiler makes the caller check it. */
export type Result<T, F> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: F };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<F>(fault: F): { readonly ok: false; readonly fault: F } {
  return { ok: false, fault };
}

/** Marks a branch that the types exclude. Reaching it is a defect of the gateway. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
