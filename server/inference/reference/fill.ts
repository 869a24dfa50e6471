import { allowedValues, suggested } from './allowed-values.ts';
import { type Budget, spend, stepsMax, written } from './budget.ts';
import type { Facts } from './facts.ts';
import { isRecord, listAt, numberAt, type Schema } from './json-schema.ts';
import { guessTexts, mentionedBoolean, mentionedNumber, mentionedTexts, type Wanted } from './mention.ts';
import { makeNumber, numberFits } from './numbers.ts';
import { listTypes, listVariants } from './schema.ts';
import { openSearch, type Search } from './search.ts';
import { makeString, stringFits } from './strings.ts';

/** The cost of filling in one place, and of reading one property of an object. */
const stepsOfPlace = 20;
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
 * Supported: type, properties, required, additionalProperties, minProperties, enum, const, default, examples,
 * the bounds of numbers, strings and lists, multipleOf, pattern (as far as `readPattern` supports it), format,
 * items, prefixItems, uniqueItems, allOf, anyOf and oneOf (the first branch that works), $ref within the
 * schema. Ignored: not, if, contains, patternProperties, propertyNames, dependent… and unevaluated….
 */
export function fillArguments(
  parameters: unknown,
  facts: Facts,
  isTerse: boolean,
  budget: Budget = { steps: stepsMax },
): unknown {
  const root = isRecord(parameters) ? parameters : {};
  const search = openSearch(root, facts, { isTerse, budget });
  const schema = Object.hasOwn(root, 'type') ? root : { ...root, type: 'object' };
  const filled = fill(schema, { name: '', description: '', depth: 0, index: 0 }, search);
  return budget.steps > 0 ? filled : undefined;
}

/** `index` distinguishes the items of one list. */
type Place = Wanted & { readonly depth: number; readonly index: number };

function fill(schema: unknown, place: Place, search: Search): unknown {
  if (place.depth > depthMax) return undefined;
  for (const variant of listVariants(schema, search)) {
    const value = fillVariant(variant, place, search);
    if (value !== undefined) return value;
  }
  return undefined;
}

function fillVariant(schema: Schema, outer: Place, search: Search): unknown {
  if (!spend(search.budget, stepsOfPlace)) return undefined;
  const place = described(schema, outer);
  const allowed = allowedValues(schema, search);
  if (allowed !== null) {
    const value = allowed.at(outer.index);
    // The value adds its whole length to the arguments.
    return spend(search.budget, written(value, search.budget).length) ? value : undefined;
  }
  for (const type of listTypes(schema)) {
    const value = fillType(type, schema, place, search);
    if (value !== undefined) return value;
  }
  return undefined;
}

function fillType(type: string, schema: Schema, place: Place, search: Search): unknown {
  switch (type) {
    case 'object':
      return fillObject(schema, place, search);
    case 'array':
      return fillList(schema, place, search);
    case 'string':
      return fillString(schema, place, search);
    case 'number':
    case 'integer':
      return fillNumber(schema, type === 'integer', place, search);
    case 'boolean':
      return (
        mentionedBoolean(place, search) ??
        suggested(schema, search).find((value) => typeof value === 'boolean') ??
        false
      );
    case 'null':
      return null;
    default:
      return undefined;
  }
}

function fillString(schema: Schema, place: Place, search: Search): string | undefined {
  const mentioned = mentionedTexts(place, readFormat(schema), search);
  const suggestions = suggested(schema, search).filter((value) => typeof value === 'string');
  const plain = place.name === '' ? 'text' : place.name;
  const texts = [...mentioned, ...suggestions, ...guessTexts(place, search.facts), plain];
  // Each item of a list takes the next text, and the plain name with a number when there are no more texts.
  const turned = place.index === 0 ? texts : [...texts.slice(place.index), `${plain} ${place.index + 1}`];
  const made = makeString(turned, schema, place.index, search);
  return made !== undefined && spend(search.budget, made.length) ? made : undefined;
}

function fillNumber(schema: Schema, isInteger: boolean, place: Place, search: Search): number | undefined {
  const fits = (value: unknown) => typeof value === 'number' && numberFits(value, schema, isInteger);
  const mentioned = place.index === 0 ? mentionedNumber(place, search) : undefined;
  if (mentioned !== undefined && fits(mentioned)) {
    takeNumber(search.unused, (value) => value === mentioned);
    return mentioned;
  }
  if (!spend(search.budget, search.unused.length / 2)) return undefined;
  const suggestion = suggested(schema, search).find(fits);
  if (typeof suggestion === 'number' && place.index === 0) return suggestion;
  return takeNumber(search.unused, fits) ?? makeNumber(schema, isInteger, place.index, search.budget);
}

function takeNumber(numbers: number[], isWanted: (value: number) => boolean): number | undefined {
  const at = numbers.findIndex(isWanted);
  return at === -1 ? undefined : numbers.splice(at, 1)[0];
}

function fillObject(schema: Schema, place: Place, search: Search): Schema | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const demanded = listAt(schema, 'required') ?? [];
  const width = Object.keys(properties).length + demanded.length;
  if (!spend(search.budget, stepsOfProperty * width)) return undefined;
  const required = new Set(demanded.filter((name) => typeof name === 'string'));
  const most = numberAt(schema, 'maxProperties') ?? Infinity;
  const filled = new Map<string, unknown>();
  for (const name of new Set([...Object.keys(properties).filter((key) => required.has(key)), ...required])) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
    const value = fill(inner, inside(place, name), search);
    if (value === undefined || !spend(search.budget, name.length)) return undefined;
    filled.set(name, value);
  }
  const optional = Object.keys(properties).filter((name) => !required.has(name));
  const least = numberAt(schema, 'minProperties') ?? 0;
  for (const name of optional) {
    if (filled.size >= most) break;
    const inner = inside(place, name);
    // Optional arguments may use only half of the budget, so that their number does not matter.
    const isLookedFor = !search.isTerse && search.budget.steps > stepsMax / 2;
    const isWanted = (isLookedFor && isMentioned(properties[name], inner, search)) || filled.size < least;
    const value = isWanted ? fill(properties[name], inner, search) : undefined;
    if (value === undefined) continue;
    if (!spend(search.budget, name.length)) return undefined;
    filled.set(name, value);
  }
  for (let count = 1; filled.size < least && count <= itemsMax; count++) {
    const name = `property${count}`;
    const value = fill(schema['additionalProperties'], inside(place, name), search);
    if (value === undefined) return undefined;
    if (!filled.has(name)) filled.set(name, value);
  }
  return filled.size < least || filled.size > most
    ? undefined
    : Object.fromEntries(sortedAs(properties, filled));
}

/** Sorts the values in the order of the schema, as a model would write them. */
function sortedAs(properties: Schema, filled: ReadonlyMap<string, unknown>): [string, unknown][] {
  const known = Object.keys(properties).flatMap((name): [string, unknown][] =>
    filled.has(name) ? [[name, filled.get(name)]] : [],
  );
  return [...known, ...[...filled].filter(([name]) => !Object.hasOwn(properties, name))];
}

/** Whether the user's message has a value for an optional argument. */
function isMentioned(schema: unknown, outer: Place, search: Search): boolean {
  for (const variant of listVariants(schema, search)) {
    const place = described(variant, outer);
    const allowed = allowedValues(variant, search);
    if (allowed !== null && allowed.mentioned().length > 0) return true;
    if (allowed !== null) continue;
    const format = readFormat(variant);
    for (const type of listTypes(variant)) {
      if (
        type === 'string' &&
        mentionedTexts(place, format, search).some((text) => stringFits(text, variant, search))
      )
        return true;
      if ((type === 'number' || type === 'integer') && mentionedNumber(place, search) !== undefined)
        return true;
      if (type === 'boolean' && mentionedBoolean(place, search) !== undefined) return true;
      if (type === 'array' && itemsMentioned(variant['items'], place, search) > 0) return true;
    }
  }
  return false;
}

function fillList(schema: Schema, place: Place, search: Search): readonly unknown[] | undefined {
  const first = listAt(schema, 'prefixItems') ?? [];
  const least = numberAt(schema, 'minItems') ?? 0;
  const most = Math.min(numberAt(schema, 'maxItems') ?? Infinity, itemsMax);
  if (least > most) return undefined;
  const isSet = schema['uniqueItems'] === true;
  const items: unknown[] = [];
  const seen = new Set<string>();
  const wanted = Math.max(
    least,
    Math.min(first.length, most),
    itemsMentioned(schema['items'], place, search),
  );
  for (let index = 0; items.length < Math.min(wanted, most) && index < itemsMax * 2; index++) {
    const inner = first[items.length] ?? (first.length > items.length ? true : schema['items']);
    const item = fill(inner, { ...place, depth: place.depth + 1, index }, search);
    if (item === undefined) break;
    const told = isSet ? written(item, search.budget) : '';
    if (isSet && seen.has(told)) continue;
    seen.add(told);
    items.push(item);
  }
  return items.length < least ? undefined : items;
}

/** How many items of a list the user's message has. */
function itemsMentioned(schema: unknown, place: Place, search: Search): number {
  for (const variant of listVariants(schema, search)) {
    const allowed = allowedValues(variant, search);
    if (allowed !== null) return allowed.mentioned().length;
    const [type] = listTypes(variant);
    if (type === 'number' || type === 'integer')
      return search.unused.filter((value) => numberFits(value, variant, type === 'integer')).length;
    if (type === 'string') {
      const texts = mentionedTexts(place, readFormat(variant), search);
      return texts.filter((text) => stringFits(text, variant, search)).length;
    }
    return 0;
  }
  return 0;
}

function inside(place: Place, name: string): Place {
  return {
    name: name.slice(0, wordingCharactersMax),
    description: '',
    depth: place.depth + 1,
    index: place.index,
  };
}

function readFormat(schema: Schema): string {
  return typeof schema['format'] === 'string' ? schema['format'] : '';
}

function described(schema: Schema, place: Place): Place {
  const { description, title } = schema;
  const texts = [title, description].filter((text) => typeof text === 'string');
  const said = texts.map((text) => text.slice(0, wordingCharactersMax)).join(' ');
  return said === '' ? place : { ...place, description: said };
}
