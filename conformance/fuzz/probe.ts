import fc, { type Arbitrary } from 'fast-check';
import type { Ask, Context } from '../context/context.ts';
import { bodyFor, invalidRequest, paidEndpoints, validRequest } from '../sources/bodies.ts';
import { describe, judgeTransient } from '../sources/judgements.ts';
import type { NotApplicable, Unknown } from '../types/verdict.ts';
import { unknown } from '../types/verdict.ts';
import type { Answered } from '../wire/exchange.ts';

import type { RandomBody } from './valid-bodies.ts';

/** The number of random bodies of each kind. */
const runsMax = { valid: 20, invalid: 14 } as const;
/** The limit of requests, including those that shrink a finding or check whether the target still works. */
export const requestsMax = 26;

export type Probe = {
  readonly bodies: Arbitrary<RandomBody>;
  readonly claim: 'valid' | 'invalid';
  readonly isRight: (answered: Answered, random: RandomBody) => boolean | Promise<boolean>;
};

/** A wrong response, with the smallest body that caused it. */
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
 * Sends random bodies one at a time, at most `requestsMax`, and shrinks the first that gets a wrong response.
 * The same seed sends the same bodies. After each wrong response a valid request checks the target: if it fails
 * too, the probe stops.
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
    stopped = judgeTransient(answered.value);
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
      `after a random body was answered with ${describe(answered.value)}, a valid request failed: ${after}`,
    );
    return true;
  }

  const details = await fc.check(fc.asyncProperty(bodies, isAnsweredRightly), {
    seed,
    // A body that the user selects by its path is sent unchanged, and not shrunk.
    ...(path === undefined ? { numRuns: runsMax[claim] } : { path, numRuns: 1, endOnFailure: true }),
  });
  const [body] = details.counterexample ?? [];
  if (body) {
    const status = statuses.get(body) ?? 'an unknown status';
    return { kind: 'finding', finding: { body, status, seed, path: details.counterexamplePath ?? '' } };
  }
  // fast-check catches errors of the suite, so rethrow them.
  if (details.errorInstance) throw details.errorInstance;
  return stopped ? { kind: 'stopped', verdict: stopped } : { kind: 'nothing', runs };
}
