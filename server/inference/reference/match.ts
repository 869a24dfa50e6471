import type { AST } from '@eslint-community/regexpp';
import { type Budget, spend } from './search.ts';

/** The most steps of one match. Beyond them, the pattern does not match. */
const stepsOfMatchMax = 50_000;

/** A part of a pattern that matches one character. */
type Leaf = AST.Character | AST.CharacterClass | AST.CharacterSet;
/** Tests a character, and knows some that match. */
type Class = { has(character: string): boolean; readonly samples: readonly string[] };
/** The character classes of a pattern, by their source. */
export type Classes = Map<string, Class>;

/** The cost of compiling a class, each character of it, and each Unicode property, a list of many ranges. */
const stepsOfClass = 80;
const stepsOfCharacter = 4;
const stepsOfProperty = 4_000;
/** The cost of a node besides the places where its match can begin. */
const stepsOfNode = 3;
/** The cost of looking around at a place. */
const stepsOfLook = 4;

/** The characters that made strings prefer when a class allows several. */
const ordinary = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:;/@#!?+*()\t~éяあ漢',
];

/** `RegExp` is safe for one character, and knows all classes. */
export function readClass(node: Leaf, classes: Classes, budget: Budget): Class {
  const known = classes.get(node.raw);
  if (known !== undefined) return known;
  const own = node.type === 'Character' ? String.fromCodePoint(node.value) : null;
  if (budget.steps <= 0 || !spend(budget, own === null ? countSteps(node.raw) : 1)) return nothing;
  const expression = own === null ? new RegExp(`^${node.raw}$`, 'u') : null;
  const has = (character: string) => expression?.test(character) ?? character === own;
  // A class without an ordinary character usually names one: `[ก-๙]`.
  const read = { has, samples: own === null ? [...ordinary, ...node.raw].filter(has) : [own] };
  classes.set(node.raw, read);
  return read;
}

/** A class that the budget does not allow to compile. */
const nothing: Class = { has: () => false, samples: [] };

function countSteps(source: string): number {
  const properties = source.match(/\\p/gi)?.length ?? 0;
  return stepsOfClass + stepsOfCharacter * source.length + stepsOfProperty * properties;
}

type Places = ReadonlySet<number>;
type Matching = {
  readonly text: readonly string[];
  readonly classes: Classes;
  readonly budget: Budget;
};

/**
 * Whether a pattern matches a part of a text. Follows all places where a match can be at once, so that no pattern
 * takes exponential time. Spends the budget.
 */
export function isMatch(
  node: AST.Pattern,
  text: readonly string[],
  classes: Classes,
  whole: Budget,
): boolean {
  const granted = Math.min(stepsOfMatchMax, Math.max(whole.steps, 0));
  const budget = { steps: granted };
  const isFound = advance(node, everywhere(text), { text, classes, budget }).size > 0 && budget.steps > 0;
  spend(whole, granted - budget.steps);
  return isFound;
}

function everywhere(text: readonly string[]): Places {
  return new Set(Array.from({ length: text.length + 1 }, (_, place) => place));
}

/** Returns where a match of the node can end, given where it can begin. */
function advance(node: AST.Node, from: Places, matching: Matching): Places {
  const { text, classes, budget } = matching;
  budget.steps -= stepsOfNode + from.size;
  if (budget.steps <= 0 || from.size === 0) return new Set();
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return new Set(node.alternatives.flatMap((option) => [...advance(option, from, matching)]));
    case 'Alternative':
      return node.elements.reduce((places, part) => advance(part, places, matching), from);
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet': {
      const { has } = readClass(node, classes, budget);
      return new Set([...from].filter((place) => has(text[place] ?? '')).map((place) => place + 1));
    }
    case 'Quantifier': {
      let places = from;
      for (let count = 0; count < node.min && places.size > 0; count++)
        places = advance(node.element, places, matching);
      const reached = new Set(places);
      for (let count = node.min; count < node.max && places.size > 0; count++) {
        const next = [...advance(node.element, places, matching)].filter((place) => !reached.has(place));
        for (const place of next) reached.add(place);
        places = new Set(next);
      }
      return reached;
    }
    case 'Assertion':
      return new Set([...from].filter(readAssertion(node, matching)));
    default:
      return new Set();
  }
}

/** Returns whether an assertion holds at a place. */
function readAssertion(node: AST.Assertion, matching: Matching): (place: number) => boolean {
  const { text, budget } = matching;
  const isWord = (place: number) => /^\w$/.test(text[place] ?? '');
  const endsFrom = (places: Places) =>
    new Set(
      'alternatives' in node
        ? node.alternatives.flatMap((option) => [...advance(option, places, matching)])
        : [],
    );
  switch (node.kind) {
    case 'start':
      return (place) => place === 0;
    case 'end':
      return (place) => place === text.length;
    case 'word':
      return (place) => (isWord(place - 1) !== isWord(place)) !== node.negate;
    case 'lookahead':
      return (place) => spend(budget, stepsOfLook) && endsFrom(new Set([place])).size > 0 !== node.negate;
    case 'lookbehind': {
      const ends = endsFrom(everywhere(text));
      return (place) => ends.has(place) !== node.negate;
    }
  }
}
