import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';

type JsonObject = { [key: string]: unknown };

// The package is CommonJS: under Node's ESM the callable sits on `default`.
const standaloneCode = standaloneModule.default;
const bundleId = 'urn:paid-inference:contract';
const banner = '// Generated from spec/ by `npm run generate`. Edit spec/, not this file.\n';

/** Writes validators.js, one function per schema that imports nothing, and its declarations. */
export async function writeValidators(document: object, folder: string): Promise<void> {
  const schemas = schemasOf(document);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    discriminator: true,
    // Lengths in UTF-16 units: nothing here has a bound that the difference would matter to.
    unicode: false,
    // Only to keep the deprecation of that option off the terminal; strict mode throws, it does not log.
    logger: false,
    // One function per schema, called by the others, instead of a copy of it in each.
    inlineRefs: false,
    code: { source: true, esm: true, lines: true, optimize: 2 },
  });
  ajv.addSchema({ $id: bundleId, $defs: schemas });
  const names = Object.keys(schemas).sort();
  const references = Object.fromEntries(names.map((name) => [name, `${bundleId}#/$defs/${name}`]));
  for (const reference of Object.values(references)) ajv.getSchema(reference);
  const code = standaloneCode(ajv, references);
  if (/\b(require|import)\s*\(|^import /m.test(code))
    throw new Error('a validator needs a package at run time');
  await writeFile(join(folder, 'validators.js'), `${banner}${code}\n`);
  await writeFile(join(folder, 'validators.d.ts'), declarations(names));
}

/** Components as JSON Schema 2020-12: references into `$defs`, without what only OpenAPI or a reader needs. */
function schemasOf(document: object): JsonObject {
  const text = JSON.stringify((document as { components: { schemas: JsonObject } }).components.schemas);
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([key, item]) => !isAnnotation(key, item));
    return { ...('format' in value && value.format === 'int32' && int32Range), ...Object.fromEntries(kept) };
  }) as JsonObject;
}

/** An annotation and not a property of the same name, whose value would be a schema. */
function isAnnotation(key: string, value: unknown): boolean {
  if (key === 'description' || key === 'format') return typeof value === 'string';
  return ['default', 'examples', 'example', 'mapping'].includes(key) || key.startsWith('x-');
}

/** `format` is an annotation; the range behind int32 is a rule. */
const int32Range = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

function declarations(names: readonly string[]): string {
  return `${banner}
import type * as types from './types.ts';

/** The first rule that a value broke. */
export type ValidationError = {
  /** JSON pointer to the value, '' for the whole. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
};

/** Decides whether a value is a T; if not, \`errors\` holds what it broke, until the next call. */
export type Validate<T> = ((value: unknown) => value is T) & { errors?: readonly ValidationError[] | null };

${names.map((name) => `export const ${name}: Validate<types.${name}>;`).join('\n')}
`;
}
