import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../types/make-folder.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * Writes a private key to a file that only this user can read, and returns its path. The file has its mode from
 * the start and gets its name when complete, so no process reads it early or in part. Replaces the key of an
 * earlier run. Creates the folder with mode 0700; an existing folder keeps its mode.
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
