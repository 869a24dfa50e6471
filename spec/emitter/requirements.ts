import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Program, Type } from '@typespec/compiler';
import { type RequirementRecord, stateKeys } from '../lib/decorators.ts';
import { banner, literal, readDecorator } from './source.ts';

/**
 * Emits the requirement catalogue in order of id, so that moving a line in spec/ does not change the output.
 */
export function emitRequirements(program: Program): string {
  const rows: [string, object][] = [];
  for (const [target, records] of readDecorator<Type, RequirementRecord[]>(program, stateKeys.requirement)) {
    for (const { id, ...record } of records) {
      rows.push([id, { ...record, target: nameTarget(target) }]);
    }
  }
  rows.sort(([one], [other]) => (one < other ? -1 : 1));
  const twice = rows.find(([id], at) => rows[at + 1]?.[0] === id);
  if (twice) throw new Error(`The requirement id ${twice[0]} is used twice`);
  return `${banner}
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED';
export type Profile = 'free' | 'signed' | 'paid' | 'limits' | 'chain' | 'ledger';

/** A statement of the contract that the suite can test. */
export type Requirement = {
  /** The contract says MUST and SHOULD. OBSERVED is not in the contract and never fails a deployment. */
  readonly level: Level;
  /** The profile that tests the requirement. */
  readonly profile: Profile;
  /** Section of the contract; \`0\` is the text above section 1. */
  readonly section: string;
  /** The contract's own words. */
  readonly quote: string;
  /** The decision, if the contract shows nothing. */
  readonly decision?: string;
  /** The part of the TypeSpec that the requirement is attached to. */
  readonly target: string;
};

/** SHA-256 of the contract's text in spec/, which verdicts refer to. */
export const contractTextSha256 = ${literal(contractTextSha256())};

/** All requirements by id. Ids never change and are never reused. */
export const requirements = ${literal(Object.fromEntries(rows))} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof requirements;
`;
}

function contractTextSha256(): string {
  const text = readFileSync(new URL('../gateway-interface.txt', import.meta.url));
  return createHash('sha256').update(text).digest('hex');
}

function nameTarget(target: Type): string {
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
      throw new Error(`@requirement on ${target.kind}: name this kind of target in the emitter`);
  }
}
