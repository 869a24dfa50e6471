import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Catalog, loadCatalog } from '../inference/catalog.ts';
import { fail, type Result } from '../types/result.ts';
import { readErrorCode } from './start-fault.ts';

/** Reads the catalog in the settings, or the shipped one. Each fault is a sentence with the file. */
export function readCatalog(catalogFile: string | undefined): Result<Catalog, readonly string[]> {
  const file = catalogFile ?? fileURLToPath(new URL('../catalog.json', import.meta.url));
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why =
      cause instanceof SyntaxError
        ? `is not JSON: ${cause.message}`
        : `cannot be read (${readErrorCode(cause)})`;
    return fail([`${file} ${why}. Repair the file, or set CATALOG_FILE to another one.`]);
  }
  const catalog = loadCatalog(content);
  return catalog.ok ? catalog : fail(catalog.fault.map((fault) => `${file}: ${fault}`));
}
