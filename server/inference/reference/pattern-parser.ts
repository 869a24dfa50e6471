/** A node of a parsed regular expression. */
export type PatternNode =
  | { readonly kind: 'edge'; readonly at: 'start' | 'end' }
  | {
      readonly kind: 'character';
      /** The steps of one test of a character. */
      readonly width: number;
      has(character: string): boolean;
      sample(index: number): string;
    }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly inner: PatternNode; readonly min: number; readonly max: number };

const patternCharactersMax = 1_000;
const groupsDepthMax = 32;
const repeatsMax = 1_000;

/** Null for a pattern that is malformed, too long or not supported. */
export function parsePattern(source: string): PatternNode | null {
  if (source.length > patternCharactersMax) return null;
  const reader = { characters: [...source], at: 0 };
  const node = readChoice(reader, 0);
  return node !== null && reader.at === reader.characters.length ? node : null;
}

type Reader = { readonly characters: readonly string[]; at: number };

function readChoice(reader: Reader, depth: number): PatternNode | null {
  if (depth > groupsDepthMax) return null;
  const options: PatternNode[] = [];
  do {
    const sequence = readSequence(reader, depth);
    if (sequence === null) return null;
    options.push(sequence);
  } while (take(reader, '|'));
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
}

function readSequence(reader: Reader, depth: number): PatternNode | null {
  const parts: PatternNode[] = [];
  while (reader.at < reader.characters.length && !'|)'.includes(peek(reader))) {
    const atom = readAtom(reader, depth);
    const part = atom === null ? null : readRepeat(reader, atom);
    if (part === null) return null;
    parts.push(part);
  }
  return { kind: 'sequence', parts };
}

function readAtom(reader: Reader, depth: number): PatternNode | null {
  const character = next(reader);
  switch (character) {
    case '^':
      return { kind: 'edge', at: 'start' };
    case '$':
      return { kind: 'edge', at: 'end' };
    case '.':
      return makeCharacter({
        ranges: [
          ['\n', '\n'],
          ['\r', '\r'],
          ['\u2028', '\u2029'],
        ],
        isNegated: true,
      });
    case '[':
      return readClass(reader);
    case '\\': {
      const ranges = readEscape(reader);
      return ranges === null ? null : makeCharacter(ranges);
    }
    case '(':
      return readGroup(reader, depth);
    case '*':
    case '+':
    case '?':
    case '{':
    case '}':
    case ']':
      return null;
    default:
      return makeCharacter({ ranges: [[character, character]], isNegated: false });
  }
}

function readGroup(reader: Reader, depth: number): PatternNode | null {
  if (take(reader, '?')) {
    if (take(reader, '<')) {
      // A named group; `(?<=` and `(?<!` are look-behinds.
      if ('=!'.includes(peek(reader))) return null;
      while (reader.at < reader.characters.length && peek(reader) !== '>') next(reader);
      if (!take(reader, '>')) return null;
    } else if (!take(reader, ':')) return null;
  }
  const inner = readChoice(reader, depth + 1);
  return inner !== null && take(reader, ')') ? inner : null;
}

function readRepeat(reader: Reader, inner: PatternNode): PatternNode | null {
  const bounds = readBounds(reader);
  if (bounds === 'none') return inner;
  if (bounds === null || inner.kind === 'edge') return null;
  take(reader, '?');
  // A second quantifier on the same atom is malformed.
  if (readBounds({ ...reader }) !== 'none') return null;
  return { kind: 'repeat', inner, ...bounds };
}

function readBounds(reader: Reader): { readonly min: number; readonly max: number } | 'none' | null {
  if (take(reader, '*')) return { min: 0, max: Infinity };
  if (take(reader, '+')) return { min: 1, max: Infinity };
  if (take(reader, '?')) return { min: 0, max: 1 };
  if (peek(reader) !== '{') return 'none';
  const counted = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(
    reader.characters.slice(reader.at, reader.at + 12).join(''),
  );
  if (counted === null) return null;
  reader.at += counted[0].length;
  const min = Number(counted[1]);
  const max = counted[2] === undefined ? min : counted[3] === '' ? Infinity : Number(counted[3]);
  return min <= max && min <= repeatsMax ? { min, max } : null;
}

type Ranges = {
  readonly ranges: readonly (readonly [from: string, to: string])[];
  readonly isNegated: boolean;
};

const shorthand: Readonly<Record<string, Ranges['ranges']>> = {
  d: [['0', '9']],
  w: [
    ['a', 'z'],
    ['A', 'Z'],
    ['0', '9'],
    ['_', '_'],
  ],
  s: [
    [' ', ' '],
    ['\t', '\r'],
    ['\u00a0', '\u00a0'],
    ['\u2028', '\u2029'],
    ['\ufeff', '\ufeff'],
  ],
};
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' };

function readEscape(reader: Reader): Ranges | null {
  const escaped = next(reader);
  const ranges = shorthand[escaped.toLowerCase()];
  if (ranges !== undefined) return { ranges, isNegated: escaped !== escaped.toLowerCase() };
  const digits = escaped === 'u' ? 4 : escaped === 'x' ? 2 : 0;
  if (digits > 0) {
    const code = reader.characters.slice(reader.at, reader.at + digits).join('');
    if (code.length !== digits || !/^[0-9a-fA-F]+$/.test(code)) return null;
    reader.at += digits;
    return one(String.fromCharCode(Number.parseInt(code, 16)));
  }
  const control = controls[escaped];
  if (control !== undefined) return one(control);
  // Any other letter or digit is an unsupported escape: \b, \p, \1, \k, \c.
  return /^[a-zA-Z0-9]?$/.test(escaped) ? null : one(escaped);
}

function one(character: string): Ranges {
  return { ranges: [[character, character]], isNegated: false };
}

function readClass(reader: Reader): PatternNode | null {
  const isNegated = take(reader, '^');
  const ranges: (readonly [string, string])[] = [];
  while (!take(reader, ']')) {
    const from = readMember(reader);
    if (from === null) return null;
    const isRange = peek(reader) === '-' && reader.characters[reader.at + 1] !== ']';
    if (!isRange) {
      ranges.push(...from);
      continue;
    }
    next(reader);
    const to = readMember(reader);
    const [low, high] = [from[0]?.[0], to?.[0]?.[1]];
    if (from.length !== 1 || to?.length !== 1 || low === undefined || high === undefined || low > high)
      return null;
    ranges.push([low, high]);
  }
  return ranges.length > 0 || isNegated ? makeCharacter({ ranges, isNegated }) : null;
}

function readMember(reader: Reader): Ranges['ranges'] | null {
  const character = next(reader);
  if (character === '') return null;
  if (character !== '\\') return [[character, character]];
  const escaped = readEscape(reader);
  return escaped === null || escaped.isNegated ? null : escaped.ranges;
}

/** The characters that made strings prefer when a class allows several. */
const ordinary = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:;/@#!?+*()\t~';

function makeCharacter({ ranges, isNegated }: Ranges): PatternNode {
  const has = (character: string) =>
    character !== '' &&
    isNegated !==
      ranges.some(
        ([from, to]) =>
          readCodePoint(from) <= readCodePoint(character) && readCodePoint(character) <= readCodePoint(to),
      );
  const samples = [...ordinary].filter(has);
  const first = ranges[0]?.[0];
  if (samples.length === 0 && first !== undefined && !isNegated) samples.push(first);
  const width = 1 + ranges.length / 8;
  return { kind: 'character', width, has, sample: (index) => samples[index % samples.length] ?? '' };
}

function readCodePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function peek({ characters, at }: Reader): string {
  return characters[at] ?? '';
}

function next(reader: Reader): string {
  return reader.characters[reader.at++] ?? '';
}

function take(reader: Reader, character: string): boolean {
  if (peek(reader) !== character) return false;
  reader.at++;
  return true;
}
