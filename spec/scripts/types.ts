import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const banner = '// Generated from spec/ by `npm run generate`. Edit spec/, not this file.\n\n';

/** Writes types.ts: `paths`, `operations`, `components`, and every schema by its name. */
export async function writeTypes(documentPath: string, folder: string): Promise<void> {
  const ast = await openapiTypescript(pathToFileURL(documentPath), {
    immutable: true,
    // The server applies defaults, so the field stays optional for the client.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  await writeFile(join(folder, 'types.ts'), banner + astToString(ast));
}
