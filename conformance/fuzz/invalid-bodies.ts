import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../wire/base64-json.ts';
import { type RandomBody, validBodies } from './valid-bodies.ts';

/** Replacements of one value; `delete` removes it. */
const operators = ['delete', null, true, -1, 1.5, 1e21, '', 'x', [], [[]], {}, { x: {} }] as const;
type Operator = (typeof operators)[number];

/** The path to a value in a body: member names and array indexes. */
type Path = readonly (string | number)[];

/** Valid bodies with one value deleted or replaced. The validator proves each invalid, also when shrunk. */
export function invalidBodies(model: string): Arbitrary<RandomBody> {
  return fc
    .tuple(validBodies(model), fc.nat(), fc.constantFrom(...operators))
    .map(([{ endpoint, body }, place, operator]) => {
      const paths = pathsIn(body);
      return { endpoint, body: changed(body, paths[place % paths.length] ?? [], operator) };
    })
    .filter(
      ({ endpoint, body }) => !(endpoint === 'chat' ? ChatCompletionRequest(body) : CompletionRequest(body)),
    );
}

/** The paths to all values of a body, including the body itself. */
export function pathsIn(value: unknown): readonly Path[] {
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [[], ...members.flatMap(([key, member]) => pathsIn(member).map((path) => [key, ...path]))];
}

/** The body with exactly one value replaced. */
export function changed(value: unknown, [key, ...rest]: Path, operator: Operator): unknown {
  if (key === undefined) return operator === 'delete' ? null : operator;
  const isLast = rest.length === 0 && operator === 'delete';
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== key) return [item];
      return isLast ? [] : [changed(item, rest, operator)];
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name !== key) return [[name, member]];
      return isLast ? [] : [[name, changed(member, rest, operator)]];
    }),
  );
}
