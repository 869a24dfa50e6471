import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { computeAddress } from 'ethers';
import { fileReason } from './file-reason.ts';

/** A key, or what is wrong with where it came from. The fault never quotes the key. */
export type KeyRead =
  | { readonly ok: true; readonly privateKey: string }
  | { readonly ok: false; readonly fault: string };

/** The environment variable that a funded key may stand in. A key is never an argument: the process list shows those. */
export const keyVariable = 'CONFORMANCE_KEY';

export function readKeyText(text: string, source: string): KeyRead {
  const key = text.trim();
  const privateKey = key.startsWith('0x') ? key : `0x${key}`;
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    return { ok: false, fault: `${source} does not hold a private key: 32 bytes in hex` };
  }
  return isKey(privateKey)
    ? { ok: true, privateKey }
    : {
        ok: false,
        fault: `${source} holds 32 bytes that are no private key: zero, or a number that is too high`,
      };
}

/** Whether 32 bytes in 0x-prefixed hex are a key: zero and what is above the order of the curve are none. */
export function isKey(hex: string): boolean {
  try {
    return computeAddress(hex) !== '';
  } catch {
    return false;
  }
}

/** Reads a key file, which nobody but its owner may read. */
export function readKeyFile(path: string): KeyRead {
  try {
    // Looked at and read as one open file, so that it cannot be exchanged in between.
    const file = openSync(path, 'r');
    try {
      const status = fstatSync(file);
      if (status.isDirectory())
        return { ok: false, fault: `${path} cannot be read: it is a folder (EISDIR)` };
      if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
        return { ok: false, fault: `${path} can be read by others: chmod 600 it` };
      }
      return readKeyText(readFileSync(file, 'utf8'), path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { ok: false, fault: `${path} cannot be read: ${fileReason(error, path)}` };
  }
}
