import { type Budget, spend, stepsMax } from './budget.ts';
import { type PatternNode, parsePattern } from './pattern-parser.ts';

/**
 * A client's regular expression. `RegExp` never runs it, because it takes exponential time for some patterns.
 * This matcher works on sets of positions, and also makes strings from the pattern.
 */
export type Pattern = {
  matches(text: string): boolean;
  /** Makes a string that matches, of `lengthMin` to `lengthMax` characters; null when none is found. */
  make(lengthMin: number, lengthMax: number, index: number): string | null;
};

/**
 * Null for unsupported patterns: look-around, back references, word boundaries, Unicode classes. Reading,
 * matching and making spend the budget; once it is used up, nothing matches and nothing is made.
 */
export function readPattern(source: string, budget: Budget = { steps: stepsMax }): Pattern | null {
  if (!spend(budget, source.length * stepsOfReading)) return null;
  const node = parsePattern(source);
  if (node === null) return null;
  const matches = (text: string) => text.length <= matchedCharactersMax && isMatch(node, [...text], budget);
  return {
    matches,
    make(lengthMin, lengthMax, index) {
      const made = [0, lengthMin, ...smallExtras].flatMap(
        (extra) => makeText(node, { extra, index, room: charactersMax, budget }) ?? [],
      );
      // A pattern without an end anchor allows any text after the match.
      const filledUp = made.map((text) => text.padEnd(lengthMin, 'x'));
      const fitting = [...new Set([...made, ...filledUp])].find((text) => {
        const { length } = [...text];
        return length >= lengthMin && length <= lengthMax && matches(text);
      });
      return fitting ?? null;
    },
  };
}

const smallExtras = [1, 2, 3, 4, 5, 6, 8, 12, 16, 32];
/** The most characters of a made string, because the arguments of a call are short. */
const charactersMax = 4_096;
/** Twice that in code units, so that every made string can be matched. */
const matchedCharactersMax = 8_192;
/** The most steps of one match. Beyond them, the pattern does not match. */
const stepsOfMatchMax = 50_000;
/** A character of a pattern may be a class, which is tested on all sample characters. */
const stepsOfReading = 15;

type Making = { extra: number; index: number; room: number; readonly budget: Budget };

function makeText(node: PatternNode, making: Making): string | null {
  if (!spend(making.budget, 1)) return null;
  switch (node.kind) {
    case 'edge':
      return '';
    case 'character':
      making.room -= 1;
      return making.room < 0 ? null : node.sample(making.index);
    case 'choice': {
      const [first] = node.options;
      return first === undefined ? null : makeText(first, making);
    }
    case 'sequence':
      return join(node.parts, making);
    case 'repeat': {
      let text = '';
      for (let count = 0; count < node.max; count++) {
        if (count >= node.min && making.extra <= 0) break;
        const part = makeText(node.inner, making);
        if (part === null) return null;
        if (count >= node.min) making.extra -= Math.max(part.length, 1);
        text += part;
      }
      return text;
    }
  }
}

function join(parts: readonly PatternNode[], making: Making): string | null {
  let text = '';
  for (const part of parts) {
    const made = makeText(part, making);
    if (made === null) return null;
    text += made;
  }
  return text;
}

function isMatch(node: PatternNode, text: readonly string[], whole: Budget): boolean {
  const granted = Math.min(stepsOfMatchMax, Math.max(whole.steps, 0));
  const budget = { steps: granted };
  // A match may begin anywhere; the anchors in the pattern restrict that.
  const everywhere = new Set(Array.from({ length: text.length + 1 }, (_, place) => place));
  const isFound = advance(node, everywhere, text, budget).size > 0 && budget.steps > 0;
  spend(whole, text.length + granted - budget.steps);
  return isFound;
}

/** Returns where a match of the node can end, given where it can begin. */
function advance(
  node: PatternNode,
  from: ReadonlySet<number>,
  text: readonly string[],
  budget: Budget,
): ReadonlySet<number> {
  budget.steps -= 1 + from.size * (node.kind === 'character' ? node.width : 1);
  if (budget.steps <= 0 || from.size === 0) return new Set();
  switch (node.kind) {
    case 'edge': {
      const edge = node.at === 'start' ? 0 : text.length;
      return from.has(edge) ? new Set([edge]) : new Set();
    }
    case 'character':
      return new Set([...from].filter((place) => node.has(text[place] ?? '')).map((place) => place + 1));
    case 'sequence':
      return node.parts.reduce((places, part) => advance(part, places, text, budget), from);
    case 'choice':
      return new Set(node.options.flatMap((option) => [...advance(option, from, text, budget)]));
    case 'repeat': {
      let places = from;
      for (let count = 0; count < node.min && places.size > 0; count++)
        places = advance(node.inner, places, text, budget);
      const reached = new Set(places);
      for (let count = node.min; count < node.max && places.size > 0; count++) {
        const next = [...advance(node.inner, places, text, budget)].filter((place) => !reached.has(place));
        for (const place of next) reached.add(place);
        places = new Set(next);
      }
      return reached;
    }
  }
}
