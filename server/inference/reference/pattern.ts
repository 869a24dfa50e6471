import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { type Classes, isMatch, readClass } from './match.ts';
import { type Budget, type Pattern, spend } from './search.ts';

const patternCharactersMax = 1_000;
/** The most characters of a string that is made or matched, because the arguments of a call are short. */
const charactersMax = 4_096;
/** The cost of parsing a pattern, of parsing one of its characters, and of a match. */
const stepsOfPattern = 40;
const stepsOfReading = 4;
const stepsOfMatch = 8;
/** The characters that a made string has beyond the shortest one, in turn. */
const extras = [1, 2, 3, 4, 5, 6, 8, 12, 16, 32];
/** Texts for patterns that require one of each kind of character. */
const mixtures = ['Aa1', 'Aa1-'];
const mixtureCharacters = 12;

const parser = new RegExpParser({ ecmaVersion: 2024 });

/**
 * Null for unsupported patterns: malformed ones, long ones, and back references. Reading, matching and making
 * spend the budget; once it is used up, nothing matches and nothing is made.
 */
export function readPattern(source: string, budget: Budget): Pattern | null {
  if (source.length > patternCharactersMax) return null;
  if (!spend(budget, stepsOfPattern + stepsOfReading * source.length)) return null;
  const node = parse(source);
  if (node === null) return null;
  const classes: Classes = new Map();
  return {
    matches: (text) =>
      text.length <= 2 * charactersMax &&
      spend(budget, stepsOfMatch + text.length) &&
      isMatch(node, [...text], classes, budget),
    *make(lengthMin, index) {
      const madeWith = (extra: number) => {
        const making = { extra, index, room: charactersMax, budget, classes };
        const text = makeText(node, making);
        return making.room < 0 ? [] : [text];
      };
      const [shortest = ''] = madeWith(0);
      const made = [0, lengthMin - shortest.length, ...extras].flatMap(madeWith);
      yield* made;
      // A pattern without an end anchor allows any text after the match.
      yield* made.map((text) => text.padEnd(lengthMin, 'x'));
      const length = Math.max(lengthMin, mixtureCharacters);
      for (const mixture of mixtures) yield mixture.repeat(length).slice(0, length);
    },
  };
}

function parse(source: string): AST.Pattern | null {
  // The flag `u` forbids needless escapes such as `\-`, which many schemas have.
  const strict = source.replace(/\\([!-/:-@[-`{-~])/g, (_, mark) => `\\x${mark.charCodeAt(0).toString(16)}`);
  if (/\\[1-9k]/.test(strict)) return null;
  try {
    return parser.parsePattern(strict, 0, strict.length, { unicode: true });
  } catch {
    return null;
  }
}

/** The state of making one text. `room` is below zero once the text is too long, or impossible to make. */
type Making = {
  extra: number;
  room: number;
  readonly index: number;
  readonly budget: Budget;
  readonly classes: Classes;
};

function makeText(node: AST.Node, making: Making): string {
  if (!spend(making.budget, 1)) making.room = -1;
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives
        .slice(0, 1)
        .map((option) => makeText(option, making))
        .join('');
    case 'Alternative':
      return node.elements.map((part) => makeText(part, making)).join('');
    case 'Quantifier': {
      let text = '';
      for (let count = 0; count < node.max && making.room >= 0; count++) {
        if (count >= node.min && making.extra <= 0) break;
        const part = makeText(node.element, making);
        if (count >= node.min) making.extra -= Math.max(part.length, 1);
        text += part;
      }
      return text;
    }
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet': {
      const { samples } = readClass(node, making.classes, making.budget);
      making.room -= samples.length === 0 ? Infinity : 1;
      return samples[making.index % samples.length] ?? '';
    }
    default:
      return '';
  }
}
