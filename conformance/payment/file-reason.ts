import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The reason of a file error in words, with the code of the operating system. */
export function fileReason(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : undefined;
  const said = code === undefined ? undefined : describeCode(code, path);
  return said === undefined ? (code ?? error.message) : `${said} (${code})`;
}

function describeCode(code: string, path: string): string | undefined {
  const folder = dirname(path);
  if (code === 'ENOENT') {
    return existsSync(folder) ? 'the file does not exist' : `the folder ${folder} does not exist`;
  }
  if (code === 'ENOTDIR') return `${folder} is not a folder`;
  return words.get(code);
}

const words: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'the path is a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
]);
