import * as validators from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';

/**
 * One rule of a schema: valid values, invalid values, and the path of the error. A rule that is not in the
 * contract names its decision.
 */
export type Rule = {
  readonly rule: string;
  readonly keeps: readonly unknown[];
  readonly breaks: readonly unknown[];
  /** JSON pointer. For a missing field, the path where the field belongs. */
  readonly at: string;
};

/** Finds the validator of a schema by name. */
export function findValidator(schema: string): validators.Validate<unknown> {
  const found = (validators as unknown as Readonly<Record<string, validators.Validate<unknown>>>)[schema];
  if (found === undefined) throw new Error(`There is no validator of ${schema}`);
  return found;
}

/** Makes a test of each rule, with its valid and its invalid values. */
export function describeRules(
  title: string,
  validate: validators.Validate<unknown>,
  rules: readonly Rule[],
): void {
  describe(title, () => {
    it.each(rules.map((each) => [each.rule, each] as const))('%s', (_rule, { keeps, breaks, at }) => {
      for (const value of keeps) expect(placesRefused(validate, value), JSON.stringify(value)).toEqual([]);
      for (const value of breaks) expect(placesRefused(validate, value), JSON.stringify(value)).toContain(at);
      expect(Math.min(keeps.length, breaks.length), 'a rule has valid and invalid values').toBeGreaterThan(0);
    });
  });
}

/** A copy without some fields. */
export function without(value: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** A rule for a required field. */
export function required(value: object, name: string, at = `/${name}`): Rule {
  return { rule: `${name} is required`, keeps: [value], breaks: [without(value, name)], at };
}

/** A rule for the values of a field. */
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
