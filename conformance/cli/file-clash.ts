import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A file of a run, by the option or variable that names it. */
export type RunFile = { readonly option: string; readonly path: string; readonly isWritten: boolean };

/** Says which file would be written and is also another file of the run, under any name. */
export function fileClash(files: readonly RunFile[]): string | undefined {
  for (const file of files.filter(({ isWritten }) => isWritten)) {
    const identity = identityOf(file.path);
    const other = files.find((each) => each !== file && identityOf(each.path) === identity);
    if (other) return `${file.option} ${file.path} is the file of ${other.option}: name another one`;
  }
  return undefined;
}

/**
 * Two names of one file have one identity, also by a link of any kind. What is no file, such as a terminal, or cannot be looked
 * at has one of its own: other words are said of that.
 */
function identityOf(path: string): string | symbol {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats?.isFile()) return `${stats.dev}:${stats.ino}`;
    return stats ? Symbol(path) : placeOf(path);
  } catch {
    return Symbol(path);
  }
}

/** The path of a file that would be made and is not there yet. */
function placeOf(path: string, linksLeft = 40): string {
  const folder = dirname(resolve(path));
  if (linksLeft > 0 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return placeOf(resolve(folder, readlinkSync(path)), linksLeft - 1);
  }
  return join(statSync(folder, { throwIfNoEntry: false }) ? realpathSync(folder) : folder, basename(path));
}
