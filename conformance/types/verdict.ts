import type { Level } from '@paid-inference/contract/requirements';

/** The requirement was exercised and is met. */
export type Holds = { readonly kind: 'holds'; readonly note?: string };
/** The requirement was exercised and is not met. */
export type Broken = { readonly kind: 'broken'; readonly expected: string; readonly actual: string };
/** What a deployment does where the contract shows nothing. */
export type Seen = { readonly kind: 'seen'; readonly note: string };
/** The requirement could not be exercised: a precondition is missing. */
export type Unknown = { readonly kind: 'unknown'; readonly reason: string };
/** What the contract says does not arise here, and the contract lets it not arise. */
export type NotApplicable = { readonly kind: 'not-applicable'; readonly reason: string };

/** What a check of a MUST or a SHOULD can say. */
export type Judgement = Holds | Broken | Unknown | NotApplicable;
/** What a check of an OBSERVED requirement can say: nothing that could fail a deployment. */
export type Observation = Seen | Unknown | NotApplicable;
export type Verdict = Judgement | Observation;

/** What the report says of a check, once the requirement's level has spoken. */
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
 * Turns a verdict into an outcome: the level decides between fail and warn. A missing precondition is inconclusive and
 * never green; an observation where the contract demands something is a fault of the suite.
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
