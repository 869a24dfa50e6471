import type { Facts } from './facts.ts';
import { isValid, listDependent, listSchemas } from './judge.ts';
import { mentionedBoolean, mentionedNumber, mentionedTexts } from './mention.ts';
import {
  type Place,
  proposeBooleans,
  proposeListed,
  proposeNumbers,
  proposeTexts,
  readListed,
} from './propose.ts';
import { listTypes, listVariants } from './schema.ts';
import {
  type Budget,
  isListed,
  isRecord,
  listAt,
  numberAt,
  type Schema,
  type Search,
  spend,
  stepsMax,
  written,
} from './search.ts';

/** The cost of filling in one place, and of reading one property of an object. */
const stepsOfPlace = 10;
const stepsOfProperty = 5;
/** The most characters that are read of a name, a title or a description. */
const wordingCharactersMax = 500;
/** The deepest nesting of objects and lists; it ends a schema that refers to itself. */
const depthMax = 24;
/** The most items of a made list. */
const itemsMax = 256;

/**
 * Fills in arguments that satisfy a tool's JSON Schema, from the user's message where possible, else made up.
 * Undefined when the schema allows none, or none is found within the limits. With `isTerse`, only required
 * arguments.
 *
 * The rules here propose values, and `isValid` decides. So a keyword that the rules ignore can prevent a call. Only
 * a keyword that `isValid` ignores can make an invalid one.
 */
export function fillArguments(
  parameters: unknown,
  facts: Facts,
  isTerse: boolean,
  budget: Budget = { steps: stepsMax },
): unknown {
  const root = isRecord(parameters) ? parameters : {};
  const caches = { patterns: new Map(), listed: new Map() };
  const search: Search = { root, facts, isTerse, budget, unused: [...facts.numbers], ...caches };
  const schema = Object.hasOwn(root, 'type') ? root : { ...root, type: 'object' };
  const filled = fill(schema, { name: '', description: '', depth: 0, index: 0 }, search);
  return budget.steps > 0 ? filled : undefined;
}

/** Returns the first proposed value that is valid. */
function fill(schema: unknown, outer: Place, search: Search): unknown {
  if (outer.depth > depthMax) return undefined;
  for (const variant of listVariants(schema, search)) {
    if (!spend(search.budget, stepsOfPlace)) return undefined;
    for (const value of propose(variant, described(variant, outer), search)) {
      if (search.budget.steps <= 0) return undefined;
      if (value === undefined || !isValid(value, schema, search)) continue;
      const used = typeof value === 'number' ? search.unused.indexOf(value) : -1;
      if (used !== -1 && !isListed(variant)) search.unused.splice(used, 1);
      return value;
    }
  }
  return undefined;
}

function* propose(schema: Schema, place: Place, search: Search): Generator<unknown> {
  if (isListed(schema)) {
    yield* proposeListed(schema, place, search);
    return;
  }
  for (const type of listTypes(schema)) {
    if (type === 'object') yield fillObject(schema, place, search);
    else if (type === 'array') yield fillList(schema, place, search);
    else if (type === 'string') yield* proposeTexts(schema, place, search);
    else if (type === 'number' || type === 'integer') yield* proposeNumbers(schema, place, search);
    else if (type === 'boolean') yield* proposeBooleans(schema, place, search);
    else if (type === 'null') yield null;
  }
}

function fillObject(schema: Schema, place: Place, search: Search): Schema | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const known = Object.keys(properties);
  const required = new Set(listAt(schema, 'required').filter((name) => typeof name === 'string'));
  if (!spend(search.budget, stepsOfProperty * (known.length + required.size))) return undefined;
  for (const name of required) for (const other of listDependent(name, schema, search)) required.add(other);
  const most = numberAt(schema, 'maxProperties') ?? Infinity;
  const least = Math.min(numberAt(schema, 'minProperties') ?? 0, itemsMax);
  const filled = new Map<string, unknown>();
  for (const name of new Set([...known.filter((each) => required.has(each)), ...required]))
    if (!add(name)) return undefined;
  for (const name of known) {
    if (filled.size >= most) break;
    // Optional arguments may use only half of the budget, so that their number does not matter.
    const isLookedFor = !search.isTerse && search.budget.steps > stepsMax / 2 && !filled.has(name);
    if (filled.size < least || (isLookedFor && isMentioned(properties[name], inside(place, name), search)))
      add(name);
  }
  for (let count = 1; filled.size < least && add(`property${count}`); count++);
  // In the order of the schema, as a model would write them.
  const names = new Set([...known.filter((name) => filled.has(name)), ...filled.keys()]);
  return Object.fromEntries([...names].map((name) => [name, filled.get(name)]));

  function add(name: string): boolean {
    if (filled.has(name)) return true;
    const [inner, ...others] = listSchemas(name, schema, search);
    const value = fill(
      others.length > 0 ? { allOf: [inner, ...others] } : inner,
      inside(place, name),
      search,
    );
    if (value === undefined || !spend(search.budget, name.length)) return false;
    filled.set(name, value);
    return true;
  }
}

/** Whether the user's message has a value for an optional argument. */
function isMentioned(schema: unknown, outer: Place, search: Search): boolean {
  for (const variant of listVariants(schema, search)) {
    if (countMentioned(variant, described(variant, outer), search) > 0) return true;
  }
  return false;
}

/** How many values of a schema the user's message has. */
function countMentioned(schema: Schema, place: Place, search: Search): number {
  if (isListed(schema)) return readListed(schema, search).mentioned;
  const isFitting = (value: unknown) => isValid(value, schema, search);
  const [type] = listTypes(schema);
  if (type === 'string')
    return mentionedTexts(place, String(schema['format']), search).filter(isFitting).length;
  if (type === 'number' || type === 'integer') return mentionedNumber(place, search) === undefined ? 0 : 1;
  if (type === 'boolean') return mentionedBoolean(place, search) === undefined ? 0 : 1;
  return type === 'array' ? countItems(schema, place, search) : 0;
}

function fillList(schema: Schema, place: Place, search: Search): readonly unknown[] | undefined {
  const { items: rest, contains } = schema;
  const first =
    contains === undefined ? listAt(schema, 'prefixItems') : [{ allOf: [contains, rest ?? true] }];
  const least = numberAt(schema, 'minItems') ?? 0;
  const most = Math.min(numberAt(schema, 'maxItems') ?? Infinity, itemsMax);
  if (least > most) return undefined;
  const wanted = Math.min(Math.max(least, first.length, countItems(schema, place, search)), most);
  const seen = new Set<string>();
  const items: unknown[] = [];
  for (let index = 0; items.length < wanted && index < itemsMax * 2; index++) {
    const inner = items.length < first.length ? first[items.length] : rest;
    const item = fill(inner, { ...place, depth: place.depth + 1, index }, search);
    if (item === undefined) break;
    const text = schema['uniqueItems'] === true ? written(item, search.budget) : String(index);
    if (!seen.has(text)) items.push(item);
    seen.add(text);
  }
  return items;
}

/** How many items of a list the user's message has. */
function countItems(schema: Schema, place: Place, search: Search): number {
  const [variant] = listVariants(schema['items'], search);
  if (variant === undefined) return 0;
  const [type] = listTypes(variant);
  if (isListed(variant) || (type !== 'number' && type !== 'integer'))
    return type === 'string' || isListed(variant) ? countMentioned(variant, place, search) : 0;
  return search.unused.filter((value) => isValid(value, variant, search)).length;
}

function inside(place: Place, name: string): Place {
  return { ...place, name: name.slice(0, wordingCharactersMax), description: '', depth: place.depth + 1 };
}

function described(schema: Schema, place: Place): Place {
  const texts = [schema['title'], schema['description']].filter((text) => typeof text === 'string');
  const said = texts.map((text) => text.slice(0, wordingCharactersMax)).join(' ');
  return said === '' ? place : { ...place, description: said };
}
