import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../wire/base64-json.ts';

/** A style of JSON. All styles are valid JSON (RFC 8259). */
export type Style = {
  /** Order of the members of objects. */
  readonly order: 'original' | 'reversed' | 'sorted';
  /** White space between tokens. */
  readonly space: '' | ' ' | '\n\t' | '\r\n   ';
  /** The characters of strings that are escaped. */
  readonly escapes: 'minimal' | 'non-ASCII' | 'all';
  /** The form of numbers in fields that are not integers. */
  readonly numbers: 'short' | 'with exponent' | 'with fraction';
};

export const styles: Arbitrary<Style> = fc.record({
  order: fc.constantFrom('original', 'reversed', 'sorted'),
  space: fc.constantFrom('', ' ', '\n\t', '\r\n   '),
  escapes: fc.constantFrom('minimal', 'non-ASCII', 'all'),
  numbers: fc.constantFrom('short', 'with exponent', 'with fraction'),
});

/** The only field that may have a fraction (contract 2.1, 2.5). Integers keep their plain form. */
const fractional = 'temperature';

/** Serializes a value as JSON in a style. */
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
  if (order === 'reversed') return members.toReversed();
  if (order === 'original') return members;
  return members.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function renderedString(text: string, { escapes }: Style): string {
  const plain = JSON.stringify(text);
  if (escapes === 'minimal') return plain;
  // Escapes UTF-16 units, so a character outside the basic plane becomes a pair of escapes.
  if (escapes === 'all')
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
