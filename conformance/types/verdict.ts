import type { Level } from '@paid-inference/contract/requirements';

/** The requirement was exercised and is met. */
export type Holds = { readonly kind: 'holds'; readonly note?: string };
/** The requirement was exercised and is not met. */
export type Broken = { readonly kind: 'broken'; readonly expected: string; readonly actual: string };
/** Behaviour that the contract leaves open. */
export type Seen = { readonly kind: 'seen'; readonly note: string };
/** The requirement could not be exercised: a precondition is missing. */
export type Unknown = { readonly kind: 'unknown'; readonly reason: string };
/** The requirement does not arise here, which the contract allows. */
export type NotApplicable = { readonly kind: 'not-applicable'; readonly reason: string };

/** The verdicts of a MUST or SHOULD check. */
export type Judgement = Holds | Broken | Unknown | NotApplicable;
/** The verdicts of an OBSERVED check, which cannot fail a deployment. */
export type Observation = Seen | Unknown | NotApplicable;
export type Verdict = Judgement | Observation;

/** Outcomes of checks in the report, after the level is applied. */
export const outcomes = [
  'pass',
  'fail',
  'warn',
  'observed',
  'inconclusive',
  'not-applicable',
  'disabled',
  'error',
] as const;
export type Outcome = (typeof outcomes)[number];
export type Graded = { readonly outcome: Outcome; readonly detail: string };

/**
 * Turns a verdict into an outcome. The level decides between fail and warn. A missing precondition is
 * inconclusive, which never counts as passed. An observation for a MUST or SHOULD is a fault of the suite.
 */
export function grade(level: Level, verdict: Verdict): Graded {
  switch (verdict.kind) {
    case 'holds':
      return { outcome: level === 'OBSERVED' ? 'error' : 'pass', detail: verdict.note ?? '' };
    case 'broken':
      return { outcome: failing[level], detail: `expected ${verdict.expected}; got ${verdict.actual}` };
    case 'seen':
      return { outcome: level === 'OBSERVED' ? 'observed' : 'error', detail: verdict.note };
    case 'unknown':
      return { outcome: 'inconclusive', detail: verdict.reason };
    case 'not-applicable':
      return { outcome: 'not-applicable', detail: verdict.reason };
  }
}

const failing = { MUST: 'fail', SHOULD: 'warn', OBSERVED: 'error' } as const satisfies Record<Level, Outcome>;

export function holds(note?: string): Holds {
  return note === undefined ? { kind: 'holds' } : { kind: 'holds', note };
}

export function broken(expected: string, actual: string): Broken {
  return { kind: 'broken', expected, actual };
}

export function seen(note: string): Seen {
  return { kind: 'seen', note };
}

export function unknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}

export function notApplicable(reason: string): NotApplicable {
  return { kind: 'not-applicable', reason };
}
