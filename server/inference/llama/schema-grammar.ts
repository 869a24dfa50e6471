import { alternatives, GrammarFault, type GrammarRules, literal } from './gbnf.ts';
import { follow, isRecord, listTypes, merge, readBound, requireBeginning, type Schema } from './schema.ts';

/** The deepest schema. A reference counts as a level where it is followed. */
const depthMax = 48;

/** The most schemas within a schema. A schema that a reference names counts once. */
const schemasMax = 10_000;

/** Where a schema stands. `owner` is the reference that it belongs to while no character came before it. */
type Place = { readonly depth: number; readonly owner: string | null };

type Writer = { readonly rules: GrammarRules; readonly write: (schema: unknown, place: Place) => string };

/** A comma between two members or items. */
const comma = 'ws "," ws';

/**
 * Writes a JSON schema as rules, and returns the expression for its values. The rules require types, required
 * properties, `enum`, `const`, `anyOf`, `oneOf`, lengths and numbers of items, and follow references within the schema.
 * Properties come in the order of the schema. The rules do not require `pattern`, `format`, ranges of numbers, `not`,
 * `uniqueItems` and conditions (D-333). Throws a `GrammarFault` for a schema without a grammar.
 */
export function writeSchema(root: unknown, rules: GrammarRules): string {
  const references = new Map<string, string>();
  /** For each reference, the references that its values may begin with. */
  const beginnings = new Map<string, Set<string>>();
  const writer = { rules, write };
  let schemas = 0;
  const expression = write(root, { depth: 0, owner: null });
  requireBeginning(beginnings);
  return expression;

  function write(schema: unknown, place: Place): string {
    schemas++;
    if (schemas > schemasMax) throw new GrammarFault(`the schema has more than ${schemasMax} parts`);
    if (place.depth > depthMax) throw new GrammarFault(`the schema is deeper than ${depthMax} levels`);
    if (schema === true || schema === undefined) return 'value';
    if (!isRecord(schema)) throw new GrammarFault('no value satisfies the schema');
    const { $ref: reference, const: only, enum: listed, anyOf, oneOf, allOf, ...own } = schema;
    const deeper = { ...place, depth: place.depth + 1 };
    if (typeof reference === 'string') return refer(reference, deeper);
    if (only !== undefined) return literal(JSON.stringify(only));
    if (Array.isArray(listed)) return alternatives(listed.map((value) => literal(JSON.stringify(value))));
    if (Array.isArray(allOf)) return write(merge(own, allOf, root), deeper);
    const branches = anyOf ?? oneOf;
    if (Array.isArray(branches) && own['properties'] === undefined)
      return alternatives(branches.filter((each) => each !== false).map((each) => write(each, deeper)));
    return alternatives(listTypes(own).map((type) => writeType(type, own, place)));
  }

  function writeType(type: unknown, schema: Schema, { depth }: Place): string {
    const inner = { depth: depth + 1, owner: null };
    switch (type) {
      case 'string':
        return writeString(schema, rules);
      case 'object':
        return writeObject(schema, inner, writer);
      case 'array':
        return writeArray(schema, inner, writer);
      case 'number':
      case 'integer':
      case 'boolean':
      case 'null':
      case 'value':
        return type;
      default:
        throw new GrammarFault('the schema has an unknown type');
    }
  }

  function refer(reference: string, place: Place): string {
    const known = references.get(reference);
    const name = known ?? rules.reserve();
    if (place.owner !== null) beginnings.get(place.owner)?.add(name);
    if (known !== undefined) return known;
    references.set(reference, name);
    beginnings.set(name, new Set());
    rules.define(name, write(follow(reference, root), { ...place, owner: name }));
    return name;
  }
}

/** Two rules for each property: the members from it on as the first ones, and behind others. */
function writeObject(schema: Schema, inner: Place, writer: Writer): string {
  const { rules, write } = writer;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
  const names = new Set([...Object.keys(properties), ...required]);
  for (const name of names) if (!required.has(name) && properties[name] === false) names.delete(name);
  if (names.size === 0) return writeMap(schema, inner, writer);
  const { additionalProperties: unlisted = true } = schema;
  let [first, next] = ['"}"', rules.add('ws "}"')];
  for (const name of [...names].reverse()) {
    const value = write(Object.hasOwn(properties, name) ? properties[name] : unlisted, inner);
    const member = rules.add(`${literal(`${JSON.stringify(name)}:`)} ws ${value}`);
    const [alone, behind] = [`${member} ${next}`, `${comma} ${member} ${next}`];
    const isRequired = required.has(name);
    first = rules.add(isRequired ? alone : `${alone} | ${first}`);
    next = rules.add(isRequired ? behind : `${behind} | ${next}`);
  }
  return rules.add(`"{" ws ${first}`);
}

/** An object without named properties. An empty list of them means none, unless the schema allows others. */
function writeMap(schema: Schema, inner: Place, { rules, write }: Writer): string {
  const { properties, minProperties, maxProperties } = schema;
  const { additionalProperties = properties === undefined } = schema;
  const most = readBound(maxProperties, Number.POSITIVE_INFINITY);
  if (additionalProperties === false || most === 0) return '"{" ws "}"';
  const member = rules.add(`string ":" ws ${write(additionalProperties, inner)}`);
  return rules.add(`"{" ws ${writeList(member, readBound(minProperties, 0), most, rules)} "}"`);
}

/** Items behind listed ones only follow if the schema requires them. */
function writeArray(schema: Schema, inner: Place, { rules, write }: Writer): string {
  const { items = true, prefixItems, minItems, maxItems } = schema;
  const least = readBound(minItems, 0);
  const most = readBound(maxItems, Number.POSITIVE_INFINITY);
  // Before JSON Schema 2020-12, a list in `items` meant `prefixItems`.
  const places = [prefixItems, items].find(Array.isArray) ?? [];
  const rest = Array.isArray(items) ? true : items;
  const listed = places.slice(0, most).map((item) => write(item, inner));
  const missing = Math.max(0, Math.min(least, most) - listed.length);
  if (listed.length === 0 && (most === 0 || rest === false)) return '"[" ws "]"';
  if (listed.length === 0)
    return rules.add(`"[" ws ${writeList(rules.add(write(rest, inner)), least, most, rules)} "]"`);
  const others =
    missing === 0 ? '' : rules.repeat(`${comma} ${rules.add(write(rest, inner))}`, missing, missing);
  return rules.add(`"[" ws ${listed.join(` ${comma} `)} ${others} ws "]"`);
}

/** Items with commas between them, and the white space behind the last one. */
function writeList(item: string, least: number, most: number, rules: GrammarRules): string {
  const others =
    most === 1 ? '' : rules.repeat(`${comma} ${item}`, Math.max(0, least - 1), Math.max(0, most - 1));
  const list = `${item} ${others} ws`;
  return least === 0 ? `( ${list} )?` : list;
}

function writeString({ minLength, maxLength }: Schema, rules: GrammarRules): string {
  const least = readBound(minLength, 0);
  const most = readBound(maxLength, Number.POSITIVE_INFINITY);
  if (most === 0) return literal('""');
  if (least === 0 && most === Number.POSITIVE_INFINITY) return 'string';
  return rules.add(`"\\"" ${rules.repeat('char', least, most)} "\\""`);
}
