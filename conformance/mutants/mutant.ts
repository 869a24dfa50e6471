import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from './edge.ts';

/** Where at a gateway's edge a change is made. */
type EdgePlace = keyof Edge;

/** A gateway that breaks the contract in one way, and what must notice it. */
export type Mutant = {
  readonly id: string;
  /** What it does, as the end of a sentence that begins with "A gateway that". */
  readonly does: string;
  readonly place: EdgePlace;
  /** Made anew for each run, so that none of them remembers another. */
  readonly edge: () => Edge;
  /** The requirements that it breaks: these fail, all of them and no other. */
  readonly kills: readonly RequirementId[];
  /** What it takes to see the change, where a plain run does not show it. */
  readonly seenWith?: Surroundings;
};

/** Runs of their own: with nodes of both networks, and of a gateway that takes few requests. */
export type Surroundings = 'nodes' | 'limits';

type Kills = readonly RequirementId[];

/** A mutant that gets to read something else than what was sent. */
export function reads(id: string, does: string, kills: Kills, read: NonNullable<Edge['read']>): Mutant {
  return { id, does, kills, place: 'read', edge: () => ({ read }) };
}

/** A mutant that answers otherwise. */
export function answers(id: string, does: string, kills: Kills, answer: NonNullable<Edge['answer']>): Mutant {
  return { id, does, kills, place: 'answer', edge: () => ({ answer }) };
}
