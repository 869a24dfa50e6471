import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { inScope, type Scope } from '../engine/scope.ts';

type Run = Pick<Scope, 'profiles'> &
  Partial<Scope> & {
    /** The nodes of the run; default none. */
    readonly nodes?: readonly ('chain' | 'ledger')[];
  };

/**
 * Computes the number of MUST requirements that a correct gateway meets in a run, so that tests contain no
 * fixed totals.
 */
export function mustIn({ nodes = [], ...scope }: Run): number {
  const ids = Object.keys(requirements) as RequirementId[];
  const judged = ids.filter((id) => inScope({ filter: undefined, ...scope }, id));
  return judged.filter((id) => requirements[id].level === 'MUST' && arises(id, nodes)).length;
}

/** The counts of a run whose target meets every MUST in scope. */
export function countAll(run: Run): { verified: number; total: number } {
  const total = mustIn(run);
  return { verified: total, total };
}

/**
 * Whether a requirement arises: a correct gateway returns neither 500 nor an unprovoked 429, and chain checks
 * need nodes.
 */
function arises(id: RequirementId, nodes: readonly string[]): boolean {
  const { profile } = requirements[id];
  const isFault = id.startsWith('error.500.') || id === 'error.429.row';
  return !isFault && (!['chain', 'ledger'].includes(profile) || nodes.includes(profile));
}
