import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../wire/base64-json.ts';
import { type RandomBody, validBodies } from './valid-bodies.ts';

/** What is put in the place of one value; `delete` takes it away. */
const operators = ['delete', null, true, -1, 1.5, 1e21, '', 'x', [], [[]], {}, { x: {} }] as const;
type Operator = (typeof operators)[number];

/** A way to a value within a body: names of members and places in arrays. */
type Path = readonly (string | number)[];

/**
 * Bodies that the contract forbids: a valid one with one value deleted or exchanged, and then proven invalid, also while it
 * is made smaller.
 */
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

/** Every value of a body, itself included. */
export function pathsIn(value: unknown): readonly Path[] {
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [[], ...members.flatMap(([key, member]) => pathsIn(member).map((path) => [key, ...path]))];
}

/** The body with one value exchanged, and nothing else. */
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
