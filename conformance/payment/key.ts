import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { computeAddress } from 'ethers';
import { fileReason } from './file-reason.ts';

/** A key, or the fault of its source. The fault never quotes the key. */
export type KeyRead =
  | { readonly ok: true; readonly privateKey: string }
  | { readonly ok: false; readonly fault: string };

/**
 * The environment variable for a funded key. A key is never an argument, because process lists show arguments.
 */
export const keyVariable = 'CONFORMANCE_KEY';

export function readKeyText(text: string, source: string): KeyRead {
  const key = text.trim();
  const privateKey = key.startsWith('0x') ? key : `0x${key}`;
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    return { ok: false, fault: `${source} contains no private key. A private key has 32 bytes in hex` };
  }
  return isKey(privateKey)
    ? { ok: true, privateKey }
    : {
        ok: false,
        fault: `${source} contains 32 bytes that are no valid private key: zero, or above the order of the curve`,
      };
}

/** Whether 32 bytes in 0x-prefixed hex are a valid key: neither zero nor above the order of the curve. */
export function isKey(hex: string): boolean {
  try {
    return computeAddress(hex) !== '';
  } catch {
    return false;
  }
}

/** Also a key with a few digits too many or too few. No message may repeat it. */
const looksLikeKey = /[0-9a-f]{48}/i;

/** Reads a key file. Only its owner may have access to the file. */
export function readKeyFile(path: string): KeyRead {
  if (looksLikeKey.test(path)) return { ok: false, fault: 'is a key, and must name a file that holds one' };
  try {
    // Mode and content come from one open file, so that the file cannot be exchanged in between.
    const file = openSync(path, 'r');
    try {
      const status = fstatSync(file);
      if (status.isDirectory())
        return { ok: false, fault: `${path} cannot be read: the path is a folder (EISDIR)` };
      if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
        return { ok: false, fault: `${path} can be read by other users. Run chmod 600 ${path}` };
      }
      return readKeyText(readFileSync(file, 'utf8'), path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { ok: false, fault: `${path} cannot be read: ${fileReason(error, path)}` };
  }
}
