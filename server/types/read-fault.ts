import { lstatSync } from 'node:fs';

/** Returns whether a file or a link has this path, also a link whose target is missing. Never throws. */
export function hasEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Describes the code of a failed reading. The system gives a link without its target the code of a missing file. */
export function describeReadCode(code: string, path: string): string {
  return code === 'ENOENT' && hasEntry(path) ? `${code}, because its symbolic link leads to no file` : code;
}
