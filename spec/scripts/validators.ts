import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';

type JsonObject = { [key: string]: unknown };

// The package is CommonJS, so in an ES module its function is `default`.
const standaloneCode = standaloneModule.default;
const bundleId = 'urn:paid-inference:contract';
const banner = '// Generated from spec/ by `npm run generate`. Edit spec/, not this file.\n';

/** Writes validators.js, with one function for each schema and no imports, and its declarations. */
export async function writeValidators(document: object, folder: string): Promise<void> {
  const schemas = extractSchemas(document);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    discriminator: true,
    // Counts lengths in UTF-16 units. For the bounds of this contract the difference does not matter.
    unicode: false,
    // Hides the deprecation warning of that option. Strict mode throws and does not log.
    logger: false,
    // One function for each schema, instead of a copy of it in each caller.
    inlineRefs: false,
    code: { source: true, esm: true, lines: true, optimize: 2 },
  });
  ajv.addSchema({ $id: bundleId, $defs: schemas });
  const names = Object.keys(schemas).sort();
  const references = Object.fromEntries(names.map((name) => [name, `${bundleId}#/$defs/${name}`]));
  for (const reference of Object.values(references)) ajv.getSchema(reference);
  const code = standaloneCode(ajv, references);
  if (/\b(require|import)\s*\(|^import /m.test(code))
    throw new Error('A validator needs a package at run time');
  await writeFile(join(folder, 'validators.js'), `${banner}${code}\n`);
  await writeFile(join(folder, 'validators.d.ts'), declarations(names));
}

/** Components as JSON Schema 2020-12: references into `$defs`, without annotations. */
function extractSchemas(document: object): JsonObject {
  const text = JSON.stringify((document as { components: { schemas: JsonObject } }).components.schemas);
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([key, item]) => !isAnnotation(key, item));
    return { ...('format' in value && value.format === 'int32' && int32Range), ...Object.fromEntries(kept) };
  }) as JsonObject;
}

/** Whether a key is an annotation, and not a property of the same name with a schema as its value. */
function isAnnotation(key: string, value: unknown): boolean {
  if (key === 'description' || key === 'format') return typeof value === 'string';
  return ['default', 'examples', 'example', 'mapping'].includes(key) || key.startsWith('x-');
}

/** The range of int32 as a rule, because `format` is only an annotation. */
const int32Range = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

function declarations(names: readonly string[]): string {
  return `${banner}
import type * as types from './types.ts';

/** An error of a validation. */
export type ValidationError = {
  /** JSON pointer to the value; '' is the whole value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
};

/** Decides whether a value is a T. If not, \`errors\` has the reasons until the next call. */
export type Validate<T> = ((value: unknown) => value is T) & { errors?: readonly ValidationError[] | null };

${names.map((name) => `export const ${name}: Validate<types.${name}>;`).join('\n')}
`;
}
