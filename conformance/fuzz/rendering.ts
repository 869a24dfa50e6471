import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../wire/base64-json.ts';

/** Ways to write one JSON value, all of them lawful (RFC 8259). */
export type Style = {
  /** Order of the members of objects. */
  readonly order: 'as it is' | 'backwards' | 'by name';
  /** White space between tokens. */
  readonly space: '' | ' ' | '\n\t' | '\r\n   ';
  /** Which characters of strings are escaped. */
  readonly escapes: 'what must be' | 'all but ASCII' | 'every character';
  /** How a number that is no integer field is written. */
  readonly numbers: 'short' | 'with exponent' | 'with fraction';
};

export const styles: Arbitrary<Style> = fc.record({
  order: fc.constantFrom('as it is', 'backwards', 'by name'),
  space: fc.constantFrom('', ' ', '\n\t', '\r\n   '),
  escapes: fc.constantFrom('what must be', 'all but ASCII', 'every character'),
  numbers: fc.constantFrom('short', 'with exponent', 'with fraction'),
});

/** The one field whose numbers are not integers (contract 2.1, 2.5): of an integer nothing says that it may be written `1e1`. */
const fractional = 'temperature';

/** JSON of a value in a style. */
export function rendered(value: unknown, style: Style, name = ''): string {
  const { space } = style;
  if (typeof value === 'string') return renderedString(value, style);
  if (typeof value === 'number' && name === fractional) return renderedNumber(value, style);
  if (Array.isArray(value)) {
    return `[${space}${value.map((item) => rendered(item, style)).join(`,${space}`)}${space}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = inOrder(Object.entries(value), style).map(
    ([key, member]) => `${renderedString(key, style)}${space}:${space}${rendered(member, style, key)}`,
  );
  return `{${space}${members.join(`${space},${space}`)}${space}}`;
}

function inOrder<T>(members: readonly (readonly [string, T])[], { order }: Style) {
  if (order === 'backwards') return members.toReversed();
  if (order === 'as it is') return members;
  return members.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function renderedString(text: string, { escapes }: Style): string {
  const plain = JSON.stringify(text);
  if (escapes === 'what must be') return plain;
  // Unit by unit, so that a character outside the first plane becomes a pair of escapes.
  if (escapes === 'every character')
    return `"${Array.from({ length: text.length }, (_, at) => escaped(text, at)).join('')}"`;
  return plain.replaceAll(/[^\p{ASCII}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character, at)).join(''),
  );
}

function escaped(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}

function renderedNumber(value: number, { numbers }: Style): string {
  if (numbers === 'with exponent') return value.toExponential().replace('e+', 'E+');
  const short = JSON.stringify(value);
  return numbers === 'with fraction' && /^\d+$/.test(short) ? `${short}.0` : short;
}
