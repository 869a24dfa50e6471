import type { WireAnswer, WireOutcome, WireRequest } from './wire.ts';

/** A request and what came of it, numbered in the order of sending. */
export type Exchange = {
  readonly number: number;
  readonly request: WireRequest;
  readonly outcome: WireOutcome;
  /** By the clock of the run, in no report: when it was sent, and when the outcome was there. */
  readonly sentAtMs: number;
  readonly endedAtMs: number;
};

export type Answered = Exchange & { readonly outcome: WireAnswer };
