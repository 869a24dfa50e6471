import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../types/make-folder.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * Writes a private key where only this user can read it, and returns the file's path. The file has its mode from its
 * first moment and takes its name when it is whole, so that nobody reads it early or in part. A key of an earlier run
 * is replaced. The folder is made with mode 0700; one that exists keeps its mode.
 */
export async function writeKeyFile(folder: string, name: string, privateKey: Bytes32): Promise<string> {
  makeFolder(folder);
  const path = join(folder, name);
  const draft = `${path}.${process.pid}.draft`;
  await rm(draft, { force: true });
  await writeFile(draft, `${privateKey}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
  return path;
}
