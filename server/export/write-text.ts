import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeOpenFault } from '../types/new-file.ts';

/** Writes the text to standard output. Resolves once its reader has all of it: a process that ends drops the rest (D-396). */
export async function writeToOutput(text: Readable): Promise<void> {
  const { stdout } = process;
  await pipeline(text, stdout, { end: false });
  await new Promise<void>((resolve, reject) => {
    stdout.once('error', reject);
    stdout.write('', (fault) => (fault ? reject(fault) : resolve()));
  });
}

/** Writes the text into a new file for its owner alone. A fault leaves no file, because a part would look like all. */
export async function writeNewFile(text: Readable, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw describeOpenFault(cause, path);
  });
  try {
    await pipeline(text, file.createWriteStream());
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  }
}
