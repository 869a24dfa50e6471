import { type Profile, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { Judgement, Observation, Verdict } from '../types/verdict.ts';
import type { Context } from './context.ts';

/** One test of a deployment. A requirement may have several checks, and gets the worst of their outcomes. */
export type Check = {
  readonly requirement: RequirementId;
  readonly title: string;
  readonly profile: Profile;
  /** Whether the check runs after all others, because it judges the whole transcript. */
  readonly closing: boolean;
  /** The reason why the contract forbids its body although the contract's schema allows it. */
  readonly beyondSchema?: string;
  readonly run: (context: Context) => Promise<Verdict>;
};

type Catalogue = typeof requirements;
export type ObservedId = {
  [Id in RequirementId]: Catalogue[Id]['level'] extends 'OBSERVED' ? Id : never;
}[RequirementId];
export type JudgedId = Exclude<RequirementId, ObservedId>;

/** A check of a requirement of the contract. */
export function check(
  requirement: JudgedId,
  title: string,
  run: (context: Context) => Promise<Judgement>,
): Check {
  return { requirement, title, profile: requirements[requirement].profile, closing: false, run };
}

/** A check that judges the whole transcript. */
export function closingCheck(
  requirement: JudgedId,
  title: string,
  run: (context: Context) => Promise<Judgement>,
): Check {
  return { ...check(requirement, title, run), closing: true };
}

/** A check that only observes behaviour that the contract leaves open. */
export function observation(
  requirement: ObservedId,
  title: string,
  run: (context: Context) => Promise<Observation>,
): Check {
  return { requirement, title, profile: requirements[requirement].profile, closing: false, run };
}
