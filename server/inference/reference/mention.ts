import type { Facts } from './facts.ts';
import { type Search, spend } from './search.ts';
import { splitWords, tellingWords } from './words.ts';

type Known = Pick<Search, 'facts' | 'budget'>;

/** The cost of splitting a name, of also searching for a text, and of searching for a name in the message. */
const stepsOfWords = 30;
const stepsOfText = 60;
const stepsOfExpression = 300;

/** An argument to find: its name and its description. */
export type Wanted = { readonly name: string; readonly description: string };

/**
 * Finds texts for an argument in the user's message, the most certain first. Each was meant for an argument of
 * this kind; `guessTexts` returns those that only might fit.
 */
export function mentionedTexts(wanted: Wanted, format: string, search: Known): readonly string[] {
  const { facts, budget } = search;
  if (!spend(budget, stepsOfText + wanted.description.length / 2)) return [];
  const byFormat = textsByFormat[format]?.(facts);
  if (byFormat !== undefined) return byFormat;
  const beside = besideName(wanted, search);
  if (wholeMessage.test(wanted.name)) return [...(beside?.isQuoted ? [beside.text] : []), ...facts.saying];
  const isText = beside !== null && (beside.isQuoted || !/^\d+$/.test(beside.text));
  return [...(isText ? [beside.text] : []), ...findRoleTexts(wanted, facts)];
}

/**
 * Guesses texts for an argument: a quotation, the whole message for arguments that usually take it, or a name.
 */
export function guessTexts(wanted: Wanted, facts: Facts): readonly string[] {
  const whole = facts.text === '' ? [] : [facts.text];
  if (wholeMessage.test(wanted.name)) return [...facts.quotes, ...whole];
  const own = tellingWords(wanted.name);
  const names = facts.names.filter(({ words }) => words.some((word) => !own.includes(word)));
  return [...facts.quotes, ...names.map(({ name }) => name), ...whole];
}

/** Finds a number beside the argument's name: `limit 5`, `limit of 5`, `5 results` for `max_results`. */
export function mentionedNumber(wanted: Wanted, search: Known): number | undefined {
  const { facts, budget } = search;
  if (!spend(budget, stepsOfWords + facts.words.length / 16)) return undefined;
  const name = splitWords(wanted.name);
  const last = name.at(-1);
  const behind = Number(besideName(wanted, search)?.text ?? Number.NaN);
  if (Number.isFinite(behind)) return behind;
  const place = facts.words.findIndex(
    (word, index) => word === last && /^\d+$/.test(facts.words[index - 1] ?? ''),
  );
  return place === -1 ? undefined : Number(facts.words[place - 1]);
}

/** Whether the user wants the argument true or false; undefined when the message does not mention it. */
export function mentionedBoolean(wanted: Wanted, { facts, budget }: Known): boolean | undefined {
  if (!spend(budget, stepsOfWords)) return undefined;
  const name = tellingWords(wanted.name);
  if (name.length === 0 || !name.every((word) => facts.wordSet.has(word))) return undefined;
  const place = facts.words.indexOf(name[0] ?? '');
  const before = facts.words.slice(Math.max(place - 3, 0), place);
  const after = facts.words.slice(place + name.length, place + name.length + 3);
  return (
    !before.some((word) => negations.has(word)) && !after.some((word) => word === 'false' || word === 'off')
  );
}

/** Whether an allowed value occurs in the message, word by word. */
export function mentionsValue(value: unknown, { facts, budget }: Known): boolean {
  if (!spend(budget, 2)) return false;
  if (typeof value === 'number')
    return spend(budget, facts.numbers.length / 32) && facts.numbers.includes(value);
  if (typeof value !== 'string' || value.length > 200 || !spend(budget, 10 + value.length)) return false;
  const words = splitWords(value);
  const [first] = words;
  if (first === undefined || !facts.wordSet.has(first) || !spend(budget, facts.words.length / 4))
    return false;
  return facts.words.some(
    (word, at) => word === first && words.every((part, offset) => facts.words[at + offset] === part),
  );
}

const negations = new Set(['no', 'not', 'without', 'never', 'don', 'dont', 'disable', 'skip', 'exclude']);
const wholeMessage =
  /quer|search|text|message|question|prompt|content|body|input|sentence|topic|subject|request/i;

const textsByFormat: Readonly<Record<string, (facts: Facts) => readonly string[]>> = {
  date: ({ dates }) => dates,
  'date-time': ({ dateTimes, dates }) => [
    ...dateTimes,
    ...dateTimes.map((time) => `${time.slice(0, 16)}:00Z`),
    ...dates.map((date) => `${date}T00:00:00Z`),
  ],
  email: ({ emails }) => emails,
  uri: ({ urls }) => urls,
  url: ({ urls }) => urls,
};

/** The usual names of kinds of arguments, and where to find their values in the message. */
const roles: readonly {
  readonly called: RegExp;
  find(facts: Facts, name: string): readonly string[];
}[] = [
  { called: /\b(?:e-?mail)\b/, find: ({ emails }) => emails },
  { called: /\b(?:url|uri|link|website|webpage)\b/, find: ({ urls }) => urls },
  {
    called: /\b(?:expression|formula|equation|calculation|math)\b/,
    find: ({ calculation }) => (calculation === null ? [] : [calculation]),
  },
  {
    called: /\b(?:date|day|when)\b/,
    find: ({ dateTimes, dates, days }) => [...dateTimes, ...dates, ...days],
  },
  { called: /\b(?:origin|source|from|departure|sender)\b/, find: (facts) => namesBehind(facts, ['from']) },
  {
    called: /\b(?:destination|target|arrival|recipient|to|receiver)\b/,
    find: (facts) => namesBehind(facts, ['to', 'for', 'with']),
  },
  {
    called: /\b(?:location|city|place|country|town|state|region|area|address|airport|station|timezone)\b/,
    find: (facts) => namesBehind(facts, ['in', 'at', 'near', 'around', 'for', 'to', 'of', 'from']),
  },
  {
    called: /\b(?:name|person|user|customer|contact|author|title)\b/,
    find: (facts) =>
      namesBehind(facts, ['named', 'called', 'to', 'for', 'with', 'by', 'of', 'about', 'from']),
  },
];

function findRoleTexts({ name, description }: Wanted, facts: Facts): readonly string[] {
  // The name is more specific than the description, so it comes first.
  for (const words of [splitWords(name).join(' '), splitWords(description.slice(0, 500)).join(' ')]) {
    const role = roles.find(({ called }) => called.test(words));
    if (role !== undefined) return role.find(facts, name);
  }
  return [];
}

function namesBehind(facts: Facts, prepositions: readonly string[]): readonly string[] {
  return prepositions.flatMap((wanted) =>
    facts.places.flatMap(({ preposition, name }) => (preposition === wanted ? [name] : [])),
  );
}

/** Finds the word or quotation after the argument's name: `subject "Hello"`, `unit: celsius`, `limit = 5`. */
function besideName(
  { name }: Wanted,
  { facts: { text, wordSet }, budget }: Known,
): { readonly text: string; readonly isQuoted: boolean } | null {
  const parts = splitWords(name);
  if (parts.length === 0 || parts.length > 6 || name.length > 60) return null;
  if (!parts.every((part) => wordSet.has(part))) return null;
  if (!spend(budget, stepsOfExpression + text.length / 2)) return null;
  // Words contain only letters and digits, so a name cannot change the expression.
  const spoken = `(?<![\\p{L}\\p{N}])${parts.join('[\\s_-]?')}s?(?![\\p{L}\\p{N}])`;
  const between = '\\s{0,3}(?:=|:|(?:is|to|of|as)\\s)?\\s{0,3}';
  const value = '(?:"([^"]{1,200})"|“([^”]{1,200})”|(-?[\\p{L}\\p{N}][\\p{L}\\p{N}._@/-]{0,80}))';
  const found = new RegExp(`${spoken}${between}${value}`, 'iu').exec(text);
  const quoted = found?.[1] ?? found?.[2];
  if (quoted !== undefined) return { text: quoted, isQuoted: true };
  const word = found?.[3]?.replace(/[.]+$/, '') ?? '';
  return tellingWords(word).length > 0 || /\d/.test(word) ? { text: word, isQuoted: false } : null;
}
