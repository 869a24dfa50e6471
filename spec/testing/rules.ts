import * as validators from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';

/**
 * One rule of a schema: what keeps it, what breaks it, and the place that a refusal names. A rule that the contract
 * does not say names the decision that is ours.
 */
export type Rule = {
  readonly rule: string;
  readonly keeps: readonly unknown[];
  readonly breaks: readonly unknown[];
  /** JSON pointer; of what is missing, the place where it should stand. */
  readonly at: string;
};

/** The validator of a schema that is only known by its name. */
export function validatorOf(schema: string): validators.Validate<unknown> {
  const found = (validators as unknown as Readonly<Record<string, validators.Validate<unknown>>>)[schema];
  if (found === undefined) throw new Error(`there is no validator of ${schema}`);
  return found;
}

/** Tells every rule as a test, the refused beside the accepted. */
export function describeRules(
  title: string,
  validate: validators.Validate<unknown>,
  rules: readonly Rule[],
): void {
  describe(title, () => {
    it.each(rules.map((each) => [each.rule, each] as const))('%s', (_rule, { keeps, breaks, at }) => {
      for (const value of keeps) expect(placesRefused(validate, value), JSON.stringify(value)).toEqual([]);
      for (const value of breaks) expect(placesRefused(validate, value), JSON.stringify(value)).toContain(at);
      expect(Math.min(keeps.length, breaks.length), 'a rule is shown from both sides').toBeGreaterThan(0);
    });
  });
}

/** A copy without some fields. */
export function without(value: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** A field that must be there. */
export function required(value: object, name: string, at = `/${name}`): Rule {
  return { rule: `${name} is required`, keeps: [value], breaks: [without(value, name)], at };
}

/** Values that a field may have, and values that it may not. */
export function values(
  rule: string,
  value: object,
  name: string,
  good: readonly unknown[],
  bad: readonly unknown[],
): Rule {
  const having = (content: unknown) => ({ ...value, [name]: content });
  return { rule, keeps: good.map(having), breaks: bad.map(having), at: `/${name}` };
}

function placesRefused(validate: validators.Validate<unknown>, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) =>
    keyword === 'required' ? `${instancePath}/${String(params['missingProperty'])}` : instancePath,
  );
}
