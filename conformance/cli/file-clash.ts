import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A file that a run reads or writes, with the option or variable that names it. */
export type RunFile = { readonly option: string; readonly path: string; readonly isWritten: boolean };

/**
 * Names a file that the run would write and that the run also uses for another purpose, even under another
 * name.
 */
export function fileClash(files: readonly RunFile[]): string | undefined {
  for (const file of files.filter(({ isWritten }) => isWritten)) {
    const identity = identifyFile(file.path);
    const other = files.find((each) => each !== file && identifyFile(each.path) === identity);
    if (other) return `${file.option} ${file.path} is also the file of ${other.option}. Name another file`;
  }
  return undefined;
}

/**
 * Two names of one file have the same identity, also through a link. A path that is no regular file, or cannot
 * be read, gets a unique identity: other functions report such paths.
 */
function identifyFile(path: string): string | symbol {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats?.isFile()) return `${stats.dev}:${stats.ino}`;
    return stats ? Symbol(path) : resolvePath(path);
  } catch {
    return Symbol(path);
  }
}

/** The absolute path of a file that does not exist yet, with links resolved. */
function resolvePath(path: string, linksLeft = 40): string {
  const folder = dirname(resolve(path));
  if (linksLeft > 0 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return resolvePath(resolve(folder, readlinkSync(path)), linksLeft - 1);
  }
  return join(statSync(folder, { throwIfNoEntry: false }) ? realpathSync(folder) : folder, basename(path));
}
