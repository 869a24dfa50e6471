import { readFileSync } from 'node:fs';
import { curve } from '../chain/curve.ts';
import { type Bytes32, parseBytes32 } from '../types/units.ts';
import type { Environment } from './environment.ts';

/** Parses a private key in hex, with or without 0x. Null for an invalid key, which no message may repeat. */
export function parseKey(word: string): Bytes32 | null {
  const key = parseBytes32(word.startsWith('0x') ? word : `0x${word}`);
  return key !== null && curve.privateKeyVerify(Buffer.from(key.slice(2), 'hex')) ? key : null;
}

/** Also a key with a few digits too many or too few. No message may repeat it. */
const looksLikeKey = /[0-9a-f]{48}/i;

/** Null if the file cannot be read, which is added to `faults`. */
function readKeyFile(variable: string, file: string, faults: string[]): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const direct = variable.replace(/_FILE$/, '');
    faults.push(
      looksLikeKey.test(file)
        ? `${variable}: is a key, and must name a file that holds one. To give the key itself, set ${direct}.`
        : `${variable}: ${file} cannot be read (${code}). Name a file that holds the key.`,
    );
    return null;
  }
}

/** The text of a key, and the variable that holds it or names its file. */
export type KeySource = { readonly text: string; readonly name: string };

/**
 * Reads the text of a key. Null if no variable is set; `unreadable` if its file cannot be read, which is added
 * to `faults`.
 */
export function readKeySource(
  environment: Environment,
  variable: string,
  faults: string[],
): KeySource | 'unreadable' | null {
  const [direct, file] = [environment[variable], environment[`${variable}_FILE`]];
  if (direct && file)
    faults.push(
      `${variable} and ${variable}_FILE are both set. Unset one, so that it is clear which key is used.`,
    );
  if (direct) return { text: direct, name: variable };
  if (!file) return null;
  const text = readKeyFile(`${variable}_FILE`, file, faults);
  return text === null ? 'unreadable' : { text, name: `${variable}_FILE` };
}

/** Describes the fault of an invalid key without its text. */
export function noKey(word: string): string {
  const digits = word.replace(/^0x/, '');
  if (/^[0-9a-fA-F]{40}$/.test(digits))
    return 'must be a private key of 32 bytes in hex; this has 20 bytes, as an address has';
  if (/^[0-9a-fA-F]{64}$/.test(digits))
    return 'must be a private key, and this number is zero or beyond the order of the curve secp256k1';
  return 'must be a private key of 32 bytes in hex, with or without 0x';
}
