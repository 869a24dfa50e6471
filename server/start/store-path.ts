import { join } from 'node:path';
import type { Config } from '../config/schema.ts';

/** The path of the embedded store, as the settings give it. */
export function findStorePath({ chain, devnetFolder, databaseFile }: Config): string {
  return chain === undefined ? join(devnetFolder, 'gateway.db') : databaseFile;
}
