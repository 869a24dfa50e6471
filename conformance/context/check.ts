import { type Profile, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { Judgement, Observation, Verdict } from '../types/verdict.ts';
import type { Context } from './context.ts';

/** One question to a deployment. Several may stand under one requirement; the worst answer is the requirement's. */
export type Check = {
  readonly requirement: RequirementId;
  readonly title: string;
  readonly profile: Profile;
  /** Runs after all others, because it judges the whole transcript. */
  readonly closing: boolean;
  /** Why its invalid body is not proven so by the contract's schema. */
  readonly beyondSchema?: string;
  readonly run: (context: Context) => Promise<Verdict>;
};

type Catalogue = typeof requirements;
export type ObservedId = {
  [Id in RequirementId]: Catalogue[Id]['level'] extends 'OBSERVED' ? Id : never;
}[RequirementId];
export type JudgedId = Exclude<RequirementId, ObservedId>;

/** A check of something that the contract says. */
export function check(
  requirement: JudgedId,
  title: string,
  run: (context: Context) => Promise<Judgement>,
): Check {
  return { requirement, title, profile: requirements[requirement].profile, closing: false, run };
}

/** A check that looks back at everything that was exchanged. */
export function closingCheck(
  requirement: JudgedId,
  title: string,
  run: (context: Context) => Promise<Judgement>,
): Check {
  return { ...check(requirement, title, run), closing: true };
}

/** A look at something that the contract leaves open. */
export function observation(
  requirement: ObservedId,
  title: string,
  run: (context: Context) => Promise<Observation>,
): Check {
  return { requirement, title, profile: requirements[requirement].profile, closing: false, run };
}
