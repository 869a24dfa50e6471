import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '../config/environment.ts';
import { describeReadCode, hasEntry } from '../types/read-fault.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { readErrorCode } from './start-fault.ts';

const usualFile = '.env';

/** Names of variables that hold a secret. */
const secretName = /(KEY|TOKEN|SECRET|PASSWORD)$|^DATABASE_URL$/;

export type FullEnvironment = {
  readonly environment: Environment;
  /** Sentences for the operator, without values from the file. */
  readonly warnings: readonly string[];
};

/**
 * Merges the environment with an env file: the named one, or `.env` if it exists. A variable of the environment
 * wins, even an empty one.
 */
export function readEnvironment(
  environment: Environment,
  named: string | null,
): Result<FullEnvironment, string> {
  const file = named ?? usualFile;
  try {
    const { text, mode } = readWithMode(file);
    // Some editors begin a file with a byte order mark, which would become part of the first name.
    const variables = parseEnv(text.replace(/^\uFEFF/, ''));
    return ok({
      environment: { ...variables, ...environment },
      warnings: modeWarnings(file, mode, variables),
    });
  } catch (cause) {
    const code = readErrorCode(cause);
    if (code === 'ENOENT' && named === null && !hasEntry(file)) return ok({ environment, warnings: [] });
    const way = named === null ? 'remove it' : 'name another one with --env-file';
    return fail(
      `The env file ${file} cannot be read (${describeReadCode(code, file)}). Let this user read it, or ${way}.`,
    );
  }
}

function readWithMode(file: string): { text: string; mode: number } {
  const fd = openSync(file, 'r');
  try {
    return { mode: fstatSync(fd).mode, text: readFileSync(fd, 'utf8') };
  } finally {
    closeSync(fd);
  }
}

/** On Windows Node shows every file as readable by all, so the check is skipped. */
function modeWarnings(file: string, mode: number, variables: Environment): readonly string[] {
  const secrets = Object.keys(variables).filter((name) => secretName.test(name) && variables[name]);
  if ((mode & 0o077) === 0 || secrets.length === 0 || process.platform === 'win32') return [];
  return [
    `Other users of this machine may read or change ${file}, which holds ${secrets.join(', ')}. Run chmod 600 ${file}.`,
  ];
}
