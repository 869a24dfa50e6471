import fc, { type Arbitrary } from 'fast-check';
import type { Ask, Context } from '../context/context.ts';
import { bodyFor, invalidRequest, paidEndpoints, validRequest } from '../sources/bodies.ts';
import { describe, passing } from '../sources/judgements.ts';
import type { NotApplicable, Unknown } from '../types/verdict.ts';
import { unknown } from '../types/verdict.ts';
import type { Answered } from '../wire/exchange.ts';

import type { RandomBody } from './valid-bodies.ts';

/** Random bodies of one kind. */
const runsMax = { valid: 20, invalid: 14 } as const;
/** Requests for them, with those that make a finding smaller and those that ask whether the target is still well. */
export const requestsMax = 26;

export type Probe = {
  readonly bodies: Arbitrary<RandomBody>;
  readonly claim: 'valid' | 'invalid';
  readonly isRight: (answered: Answered, random: RandomBody) => boolean | Promise<boolean>;
};

/** What a target did that it should not, with the smallest body that made it so. */
type Finding = {
  readonly body: RandomBody;
  readonly status: string;
  readonly seed: number;
  readonly path: string;
};

export type Probed =
  | { readonly kind: 'nothing'; readonly runs: number }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'stopped'; readonly verdict: Unknown | NotApplicable };

/**
 * Sends random bodies, one at a time and no more than `requestsMax`, and makes the first that is answered wrongly smaller.
 * The same seed sends the same bodies. After each finding the target is asked for something plain: one that is in trouble
 * altogether shows nothing.
 */
export async function probe(context: Context, { bodies, claim, isRight }: Probe): Promise<Probed> {
  const { seed, path } = context.fuzz;
  let [requests, runs] = [0, 0];
  let stopped: Unknown | NotApplicable | undefined;
  const statuses = new Map<unknown, string>();

  async function isAnsweredRightly(random: RandomBody): Promise<boolean> {
    if (stopped || requests >= requestsMax) return true;
    requests += 1;
    runs += 1;
    const { endpoint, body, text, headers = {} } = random;
    const valid: Ask =
      text === undefined
        ? validRequest(endpoint, body)
        : { path: paidEndpoints[endpoint].path, text, headers };
    const request = claim === 'valid' ? valid : invalidRequest(endpoint, body);
    const answered = await context.send({ ...request, isRandom: true });
    if (!answered.ok) {
      stopped = answered.verdict;
      return true;
    }
    stopped = passing(answered.value);
    if (stopped || (await isRight(answered.value, random))) return true;
    requests += 1;
    const control = await context.send({
      ...validRequest(endpoint, bodyFor(endpoint, context.model)),
      isRandom: true,
    });
    if (control.ok && control.value.outcome.status === 402) {
      statuses.set(random, describe(answered.value));
      return false;
    }
    const after = control.ok ? describe(control.value) : control.verdict.reason;
    stopped = unknown(
      `after a body that was answered ${describe(answered.value)}, a plain one brought: ${after}`,
    );
    return true;
  }

  const details = await fc.check(fc.asyncProperty(bodies, isAnsweredRightly), {
    seed,
    // A body that is asked for by its path is sent as it is, and not made smaller still.
    ...(path === undefined ? { numRuns: runsMax[claim] } : { path, numRuns: 1, endOnFailure: true }),
  });
  const [body] = details.counterexample ?? [];
  if (body) {
    const status = statuses.get(body) ?? 'otherwise';
    return { kind: 'finding', finding: { body, status, seed, path: details.counterexamplePath ?? '' } };
  }
  // What this suite throws, fast-check keeps.
  if (details.errorInstance) throw details.errorInstance;
  return stopped ? { kind: 'stopped', verdict: stopped } : { kind: 'nothing', runs };
}
