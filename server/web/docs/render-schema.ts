import type { ComponentChildren, VNode } from 'preact';
import { refName, type Schema, schemas } from './document.ts';
import { el, prose } from './text.ts';

/** The type of a value in words, with links to the schemas. */
export function typeText(schema: Schema): ComponentChildren {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    return el('a', { href: `#schema-${name}` }, name);
  }
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants !== undefined)
    return variants.flatMap((each, at) => [
      at === 0 ? null : schema.allOf ? ' and ' : ' or ',
      typeText(each),
    ]);
  if (schema.const !== undefined) return el('code', null, JSON.stringify(schema.const));
  if (schema.enum !== undefined)
    return schema.enum.flatMap((each, at) => [
      at === 0 ? null : ' or ',
      el('code', null, JSON.stringify(each)),
    ]);
  if (schema.type === 'array') return ['list of ', typeText(schema.items ?? {})];
  if (schema.type === undefined) return 'any value';
  return [schema.type].flat().join(' or ');
}

/** The limits of a value, as far as the schema has them. */
function limits({
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  pattern,
  default: preset,
}: Schema): ComponentChildren[] {
  const rules: [string, unknown][] = [
    ['at least', minimum],
    ['at most', maximum],
    ['at least this many characters:', minLength],
    ['at most this many characters:', maxLength],
    ['at least this many items:', minItems],
    ['pattern', pattern],
    ['default', preset],
  ];
  return rules
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      el(
        'span',
        { class: 'quiet' },
        ` ${name} `,
        el('code', null, typeof value === 'string' ? value : JSON.stringify(value)),
        '.',
      ),
    );
}

type Field = {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  readonly description?: string | undefined;
};

/** A table of fields, headers or parameters. */
export function fieldTable(caption: string, fields: readonly Field[]): VNode | null {
  if (fields.length === 0) return null;
  const rows = fields.map(({ name, isRequired, schema, description = schema.description ?? '' }) =>
    el(
      'tr',
      { key: name },
      el('th', { scope: 'row' }, el('code', null, name)),
      el('td', { 'data-name': 'Type' }, typeText(schema)),
      el('td', { 'data-name': 'Needed' }, isRequired ? 'yes' : 'no'),
      el('td', null, prose(description), limits(schema)),
    ),
  );
  const head = ['Name', 'Type', 'Needed', 'Meaning'].map((name) =>
    el('th', { scope: 'col', key: name }, name),
  );
  return el(
    'table',
    { class: 'cards' },
    el('caption', null, caption),
    el('thead', null, el('tr', null, head)),
    el('tbody', null, rows),
  );
}

/** The fields of a schema, those of the schemas that it joins included. */
function listFields(schema: Schema): readonly Field[] {
  if (schema.$ref !== undefined) return listFields(schemas[refName(schema.$ref)] ?? {});
  const joined = (schema.allOf ?? []).flatMap(listFields);
  const own = Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    schema: each,
    isRequired: schema.required?.includes(name) ?? false,
  }));
  return [...joined, ...own];
}

/** The description of a schema and its fields, or its type where it has none. */
export function schemaSection(name: string): VNode {
  const schema = schemas[name] ?? {};
  const fields = listFields(schema);
  return el(
    'section',
    { id: `schema-${name}`, key: name },
    el('h3', null, name),
    schema.description === undefined ? null : el('p', null, prose(schema.description)),
    fields.length === 0
      ? el('p', null, 'Type: ', typeText(schema), '.', limits(schema))
      : fieldTable(`Fields of ${name}`, fields),
  );
}
