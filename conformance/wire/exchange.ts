import type { WireOutcome, WireRequest, WireResponse } from './wire.ts';

/** A request and its outcome, numbered in the order of sending. */
export type Exchange = {
  readonly number: number;
  readonly request: WireRequest;
  readonly outcome: WireOutcome;
  /**
   * Times by the clock of the run: when the request was sent, and when the outcome was known. Reports leave
   * them out.
   */
  readonly sentAtMs: number;
  readonly endedAtMs: number;
};

export type Answered = Exchange & { readonly outcome: WireResponse };
