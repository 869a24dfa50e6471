import type { DecoratorContext, Model, ModelProperty, Type } from '@typespec/compiler';

/** TypeSpec binds `$name` below to `extern dec name` in main.tsp. */
export const namespace = 'PaidInference.Spec';

export type RequirementRecord = {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD' | 'OBSERVED';
  readonly profile: 'free' | 'signed' | 'paid' | 'limits' | 'chain' | 'ledger';
  readonly section: string;
  readonly quote: string;
  readonly decision?: string;
};

export type ErrorRowRecord = { readonly status: number; readonly precedence: number };

/** Keys of the compiler's state maps, shared with the emitter. */
export const stateKeys = {
  requirement: Symbol.for('PaidInference.Spec.requirement'),
  errorRow: Symbol.for('PaidInference.Spec.errorRow'),
  eip712Struct: Symbol.for('PaidInference.Spec.eip712Struct'),
  eip712Type: Symbol.for('PaidInference.Spec.eip712Type'),
  eip712DomainField: Symbol.for('PaidInference.Spec.eip712DomainField'),
  constant: Symbol.for('PaidInference.Spec.constant'),
} as const;

type EnumValue = { readonly value: { readonly name: string } };

export function $requirement(
  context: DecoratorContext,
  target: Type,
  written: Omit<RequirementRecord, 'level' | 'profile'> & { level: EnumValue; profile: EnumValue },
): void {
  const record = {
    ...written,
    level: written.level.value.name,
    profile: written.profile.value.name,
  } as RequirementRecord;
  const all = context.program.stateMap(stateKeys.requirement);
  all.set(target, [...((all.get(target) as RequirementRecord[] | undefined) ?? []), record]);
}

export function $errorRow(
  context: DecoratorContext,
  target: Model,
  status: number,
  precedence: number,
): void {
  context.program.stateMap(stateKeys.errorRow).set(target, { status, precedence } satisfies ErrorRowRecord);
}

export function $eip712Struct(context: DecoratorContext, target: Model, primaryType: string): void {
  context.program.stateMap(stateKeys.eip712Struct).set(target, primaryType);
}

export function $eip712Type(context: DecoratorContext, target: ModelProperty, type: string): void {
  context.program.stateMap(stateKeys.eip712Type).set(target, type);
}

export function $eip712DomainField(context: DecoratorContext, target: ModelProperty, field: string): void {
  context.program.stateMap(stateKeys.eip712DomainField).set(target, field);
}

export function $constant(context: DecoratorContext, target: ModelProperty, name: string): void {
  context.program.stateMap(stateKeys.constant).set(target, name);
}
