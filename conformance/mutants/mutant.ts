import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from './edge.ts';

/** The part of the edge that a mutant changes. */
type EdgePlace = keyof Edge;

/** A gateway that breaks the contract in one way, and the requirements that must fail. */
export type Mutant = {
  readonly id: string;
  /** Describes the gateway: third person present, without a subject. */
  readonly does: string;
  readonly place: EdgePlace;
  /** Creates a new edge for each run, so that no state passes between runs. */
  readonly edge: () => Edge;
  /** The requirements that the mutant breaks. Exactly these must fail. */
  readonly kills: readonly RequirementId[];
  /** The setting that reveals the change, if a plain run does not. */
  readonly seenWith?: Surroundings;
};

/** Settings of separate runs: with nodes of both networks, and with a gateway that has a low rate limit. */
export type Surroundings = 'nodes' | 'limits';

type Kills = readonly RequirementId[];

/** A mutant that reads another request than the client sent. */
export function reads(id: string, does: string, kills: Kills, read: NonNullable<Edge['read']>): Mutant {
  return { id, does, kills, place: 'read', edge: () => ({ read }) };
}

/** A mutant that sends another response. */
export function responds(
  id: string,
  does: string,
  kills: Kills,
  response: NonNullable<Edge['respond']>,
): Mutant {
  return { id, does, kills, place: 'respond', edge: () => ({ respond: response }) };
}
