import { type Level, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { mutants } from './all.ts';
import { type NotAlone, notAlone } from './not-alone.ts';
import { portMutants } from './reference/mutants.ts';

type Killer = { readonly id: string; readonly kills: readonly RequirementId[] };

/** Every mutant with what it declares: of the edge, and of the ports of the reference gateway. */
export const allMutants: readonly Killer[] = [...mutants, ...portMutants];

/** Ids of the mutants that a requirement kills, those that it kills alone first. */
export function mutantsOf(requirement: RequirementId): readonly string[] {
  const killed = allMutants.filter(({ kills }) => kills.includes(requirement));
  return killed.toSorted((a, b) => a.kills.length - b.kills.length).map(({ id }) => id);
}

/** Whether of what must hold nothing else is broken: a SHOULD beside it fails no deployment. */
export function isKilledAlone(kills: readonly RequirementId[], id: RequirementId): boolean {
  const musts = kills.filter((each) => requirements[each].level === 'MUST');
  return musts.length === 1 && musts[0] === id;
}

/** What the tables owe: a MUST that nothing kills alone and that has no reason, or a reason that does not hold. */
export function faultsOfTables(
  among: readonly Killer[] = allMutants,
  reasons: readonly NotAlone[] = notAlone,
): readonly string[] {
  const isAlone = (id: RequirementId) => among.some(({ kills }) => isKilledAlone(kills, id));
  const missing = checkedIds('MUST').filter(
    (id) => !isAlone(id) && !reasons.some(({ requirement }) => requirement === id),
  );
  const stale = reasons.flatMap(({ requirement, failsWith }) => {
    if (isAlone(requirement)) return [`${requirement}: a mutant kills it alone, so its reason is stale`];
    const others = among.filter(({ kills }) => kills.includes(requirement));
    if (others.length === 0) return [`${requirement}: no mutant kills it at all`];
    const without = others.filter(({ kills }) => !failsWith.every((id) => kills.includes(id)));
    return without.map(({ id }) => `${requirement}: ${id} kills it without ${failsWith.join(', ')}`);
  });
  return [...missing.map((id) => `${id}: no mutant kills it alone, and no reason says why`), ...stale];
}

/** Requirements of a level. */
export function checkedIds(level: Level): readonly RequirementId[] {
  // The catalogue's keys are its ids.
  const ids = Object.keys(requirements) as RequirementId[];
  return ids.filter((id) => requirements[id].level === level);
}
