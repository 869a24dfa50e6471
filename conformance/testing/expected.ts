import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { inScope, type Scope } from '../engine/scope.ts';

type Run = Pick<Scope, 'profiles'> &
  Partial<Scope> & {
    /** Which nodes the run was given; none unless said otherwise. */
    readonly nodes?: readonly ('chain' | 'ledger')[];
  };

/** How many MUST of the catalogue a sound gateway shows in a run: no total of them is ever written down. */
export function mustIn({ nodes = [], ...scope }: Run): number {
  // The catalogue's keys are its ids.
  const ids = Object.keys(requirements) as RequirementId[];
  const judged = ids.filter((id) => inScope({ filter: undefined, ...scope }, id));
  return judged.filter((id) => requirements[id].level === 'MUST' && arises(id, nodes)).length;
}

/** What a run reports of a target that keeps every MUST in scope. */
export function allOf(run: Run): { verified: number; total: number } {
  const total = mustIn(run);
  return { verified: total, total };
}

/** A sound gateway answers neither 500 nor, unprovoked, 429, and without a node nothing shows of a network. */
function arises(id: RequirementId, nodes: readonly string[]): boolean {
  const { profile } = requirements[id];
  const isFault = id.startsWith('error.500.') || id === 'error.429.row';
  return !isFault && (!['chain', 'ledger'].includes(profile) || nodes.includes(profile));
}
