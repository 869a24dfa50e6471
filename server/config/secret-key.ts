import { readFileSync } from 'node:fs';
import { computeAddress } from 'ethers';
import { type Bytes32, parseBytes32 } from '../vocabulary/units.ts';

/** A private key as hex, with its prefix or without; null for what is none. Whoever complains never repeats it. */
export function parseKey(word: string): Bytes32 | null {
  const key = parseBytes32(word.startsWith('0x') ? word : `0x${word}`);
  if (key === null) return null;
  try {
    computeAddress(key);
    return key;
  } catch {
    // Out of the curve's range: no key either.
    return null;
  }
}

/** Null when the file that a variable names cannot be read, which is a fault of its own. */
export function readKeyFile(variable: string, file: string, faults: string[]): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    faults.push(`${variable}: ${file} cannot be read`);
    return null;
  }
}
