import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { accessTokenBytes, accessTokenCharactersMin } from '../proxy/limits.ts';

export type AccessTokenReading =
  /** `from` is null for a token of this run alone. */
  | { readonly ok: true; readonly token: string; readonly from: string | null }
  | { readonly ok: false; readonly message: string };

/**
 * The token that tools send to the proxy (D-292): the file, made if it does not exist, else
 * `PAID_INFERENCE_PROXY_TOKEN`, else a new one. Never an argument, because other users see arguments.
 */
export function readAccessToken(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): AccessTokenReading {
  const variable = 'PAID_INFERENCE_PROXY_TOKEN';
  const given = environment[variable];
  if (file === undefined)
    return given === undefined || given === ''
      ? { ok: true, token: makeToken(), from: null }
      : check(given, variable);
  try {
    writeFileSync(file, `${makeToken()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'no reason given';
    if (code !== 'EEXIST') return { ok: false, message: `${file} cannot be written (${code})` };
  }
  try {
    // Windows has no such bits and always reports all of them.
    if ((statSync(file).mode & othersMode) !== 0 && process.platform !== 'win32')
      return { ok: false, message: `${file} can be read by other users. Run chmod 600 ${file}` };
    return check(readFileSync(file, 'utf8').trim(), file);
  } catch {
    return { ok: false, message: `the access token in ${file} cannot be read` };
  }
}

/** Read, write or execute, for group or others. */
const othersMode = 0o077;

function makeToken(): string {
  return randomBytes(accessTokenBytes).toString('base64url');
}

function check(token: string, from: string): AccessTokenReading {
  if (token.length >= accessTokenCharactersMin && /^[\x21-\x7e]+$/.test(token))
    return { ok: true, token, from };
  const message = `the access token of ${from} needs at least ${accessTokenCharactersMin} characters of ASCII, without spaces`;
  return { ok: false, message };
}
