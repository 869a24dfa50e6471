import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Program, Type } from '@typespec/compiler';
import { type RequirementRecord, stateKeys } from '../lib/decorators.ts';
import { banner, literal, said } from './source.ts';

/** The requirement catalogue, in order of id, so that moving a line in spec/ changes nothing here. */
export function emitRequirements(program: Program): string {
  const rows: [string, object][] = [];
  for (const [target, records] of said<Type, RequirementRecord[]>(program, stateKeys.requirement)) {
    for (const { id, ...record } of records) {
      rows.push([id, { ...record, target: nameOf(target) }]);
    }
  }
  rows.sort(([one], [other]) => (one < other ? -1 : 1));
  const twice = rows.find(([id], at) => rows[at + 1]?.[0] === id);
  if (twice) throw new Error(`requirement id used twice: ${twice[0]}`);
  return `${banner}
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED';
export type Profile = 'free' | 'signed' | 'paid' | 'limits' | 'chain' | 'ledger';

/** One checkable statement of the contract. */
export type Requirement = {
  /** MUST and SHOULD are said by the contract; OBSERVED is not, and can never fail a deployment. */
  readonly level: Level;
  /** What it takes to see it. */
  readonly profile: Profile;
  /** Section of the contract; \`0\` is what stands above section 1. */
  readonly section: string;
  /** The contract's own words. */
  readonly quote: string;
  /** The decision that fills the gap, where the contract shows nothing. */
  readonly decision?: string;
  /** The part of the TypeSpec that it is attached to. */
  readonly target: string;
};

/** SHA-256 of the contract's text, as kept in spec/: what a verdict was given on. */
export const contractTextSha256 = ${literal(contractTextSha256())};

/** Every requirement by its id. Ids never change and are never used again for something else. */
export const requirements = ${literal(Object.fromEntries(rows))} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof requirements;
`;
}

function contractTextSha256(): string {
  const text = readFileSync(new URL('../gateway-interface.txt', import.meta.url));
  return createHash('sha256').update(text).digest('hex');
}

function nameOf(target: Type): string {
  switch (target.kind) {
    case 'ModelProperty':
      return `${target.model?.name ?? ''}.${target.name}`;
    case 'EnumMember':
      return `${target.enum.name}.${target.name}`;
    case 'Operation':
      return `${target.interface?.name ?? ''}.${target.name}`;
    case 'Model':
    case 'Scalar':
      return target.name;
    default:
      throw new Error(`@requirement on ${target.kind}: give it a name here`);
  }
}
