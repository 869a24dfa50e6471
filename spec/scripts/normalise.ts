import { type JsonObject, walk } from './json.ts';

/**
 * Keywords of our 3.1 document that OpenAPI 3.0 does not have. The 3.0 document is for tools that cannot read
 * 3.1.
 */
const unknownIn30 = [
  'if',
  'then',
  'else',
  'dependentSchemas',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
];

/**
 * Corrects output of the OpenAPI emitter that other tools misread, and changes nothing else: open records
 * become `additionalProperties` (typespec issue 11953), and 3.0 loses the keywords of 3.1.
 */
export function normalise(document: object, version: '3.0.0' | '3.1.0'): object {
  const copy = structuredClone(document) as JsonObject;
  walk(copy, (node) => {
    openRecord(node);
    if (version === '3.0.0') for (const keyword of unknownIn30) delete node[keyword];
  });
  dropUnspoken(copy);
  if (version === '3.0.0') dropFrom30(copy);
  return copy;
}

function openRecord(node: JsonObject): void {
  for (const keyword of ['unevaluatedProperties', 'additionalProperties']) {
    const rest = node[keyword];
    if (rest === undefined || rest === null || typeof rest !== 'object' || Array.isArray(rest)) continue;
    delete node[keyword];
    node['additionalProperties'] = Object.keys(rest).length === 0 ? true : rest;
  }
}

/** Removes models that only group headers or only serve our decorators. They are not on the wire. */
function dropUnspoken(document: JsonObject): void {
  const schemas = (document['components'] as JsonObject)['schemas'] as JsonObject;
  for (const name of Object.keys(schemas)) {
    if (name.startsWith('Spec.') || name.endsWith('Headers')) delete schemas[name];
  }
}

/**
 * Removes `info.summary`, which is new in 3.1, and replaces the licence identifier by a URL, as 3.0 requires.
 */
function dropFrom30(document: JsonObject): void {
  const info = document['info'] as JsonObject;
  delete info['summary'];
  const { name } = info['license'] as { name: string };
  info['license'] = { name, url: `https://spdx.org/licenses/${name}.html` };
}
