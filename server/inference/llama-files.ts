import { closeSync, openSync, readSync } from 'node:fs';
import type { Catalog } from './catalog.ts';
import { isLibraryInstalled, libraryName, libraryVersion } from './llama/library.ts';

/** The first bytes of a GGUF file. */
const mark = 'GGUF';

/** Returns a sentence for each file of a model that is missing or no GGUF file, and for the missing package. */
export function listLlamaFaults(
  catalog: Catalog,
  isInstalled: () => boolean = isLibraryInstalled,
): readonly string[] {
  const models = catalog.list().filter(({ engine }) => engine === 'llama');
  const [first] = models;
  if (first === undefined) return [];
  const missing = `The model ${first.id} needs the package ${libraryName}. Install it: npm install ${libraryName}@${libraryVersion}`;
  const files = new Set(models.flatMap(({ llama }) => llama?.file ?? []));
  return [...(isInstalled() ? [] : [missing]), ...[...files].flatMap(describeFile)];
}

function describeFile(file: string): readonly string[] {
  const start = Buffer.alloc(mark.length);
  try {
    const opened = openSync(file, 'r');
    try {
      readSync(opened, start, 0, mark.length, 0);
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown';
    return [
      `The model file ${file} cannot be read (${code}). Set the file of the model in the catalog to a GGUF file.`,
    ];
  }
  return start.toString('latin1') === mark ? [] : [`The model file ${file} is no GGUF file.`];
}
