import { type Level, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { mutants } from './all.ts';
import { type NotAlone, notAlone } from './not-alone.ts';
import { portMutants } from './reference/mutants.ts';

type Killer = { readonly id: string; readonly kills: readonly RequirementId[] };

/** All mutants of the edge and of the reference gateway's ports, with the requirements that they break. */
export const allMutants: readonly Killer[] = [...mutants, ...portMutants];

/** Ids of the mutants that break a requirement, those with the fewest other requirements first. */
export function listMutants(requirement: RequirementId): readonly string[] {
  const killed = allMutants.filter(({ kills }) => kills.includes(requirement));
  return killed.toSorted((a, b) => a.kills.length - b.kills.length).map(({ id }) => id);
}

/** Whether a requirement is the only MUST in a list. A SHOULD does not count: it fails no deployment. */
export function isKilledAlone(kills: readonly RequirementId[], id: RequirementId): boolean {
  const musts = kills.filter((each) => requirements[each].level === 'MUST');
  return musts.length === 1 && musts[0] === id;
}

/** Faults of the tables: a MUST that no mutant breaks alone and that has no reason, or a wrong reason. */
export function findTableFaults(
  among: readonly Killer[] = allMutants,
  reasons: readonly NotAlone[] = notAlone,
): readonly string[] {
  const isAlone = (id: RequirementId) => among.some(({ kills }) => isKilledAlone(kills, id));
  const missing = checkedIds('MUST').filter(
    (id) => !isAlone(id) && !reasons.some(({ requirement }) => requirement === id),
  );
  const stale = reasons.flatMap(({ requirement, failsWith }) => {
    if (isAlone(requirement))
      return [`${requirement}: a mutant breaks this requirement alone, so its reason is stale`];
    const others = among.filter(({ kills }) => kills.includes(requirement));
    if (others.length === 0) return [`${requirement}: no mutant breaks this requirement`];
    const without = others.filter(({ kills }) => !failsWith.every((id) => kills.includes(id)));
    return without.map(
      ({ id }) => `${requirement}: ${id} breaks this requirement without ${failsWith.join(', ')}`,
    );
  });
  return [
    ...missing.map((id) => `${id}: no mutant breaks this requirement alone, and it has no reason`),
    ...stale,
  ];
}

/** Requirements of a level. */
export function checkedIds(level: Level): readonly RequirementId[] {
  // The catalogue's keys are its ids.
  const ids = Object.keys(requirements) as RequirementId[];
  return ids.filter((id) => requirements[id].level === level);
}
