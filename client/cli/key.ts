import { existsSync, readFileSync, statSync } from 'node:fs';
import { Wallet } from 'ethers';
import { asTyped } from './as-typed.ts';

export type KeyReading =
  | { readonly ok: true; readonly wallet: Wallet; readonly from: string }
  | { readonly ok: false; readonly message: string };

/** The file where the gateway's devnet keeps the key of a funded payer. */
export const devnetKeyFile = '.data/devnet/payer.key';

/**
 * Reads the payer's key: the named file, else `PAID_INFERENCE_KEY`, else the devnet's payer. The key is never
 * an argument, because other users see arguments in the process list and shells keep them.
 */
export function readKey(keyFile: string | undefined, environment: NodeJS.ProcessEnv): KeyReading {
  if (keyFile !== undefined) return readKeyFile(keyFile);
  const given = environment['PAID_INFERENCE_KEY'];
  if (given !== undefined && given !== '') return parseKey(given, 'PAID_INFERENCE_KEY');
  if (existsSync(devnetKeyFile)) return readKeyFile(devnetKeyFile);
  const make = '"npm run wallet -- new <file>" makes a key';
  return fault(
    `no key to pay with. Name a key file with --key-file. ${make}; "npm start" makes a funded one`,
  );
}

/** Read, write or execute, for group or others. */
const othersMode = 0o077;

/** Also a key with a few digits too many or too few. No message may repeat it. */
const looksLikeKey = /[0-9a-f]{48}/i;

function readKeyFile(file: string): KeyReading {
  if (looksLikeKey.test(file)) return fault('--key-file is a key, and must name a file that holds one');
  try {
    const found = statSync(file);
    if (found.isDirectory()) return fault(`the key file ${file} is a folder. Name a file`);
    const { mode } = found;
    // Windows has no such bits and always reports all of them.
    if ((mode & othersMode) !== 0 && process.platform !== 'win32') {
      return fault(`the key file ${file} can be read by other users. Run chmod 600 ${file}`);
    }
    return parseKey(readFileSync(file, 'utf8'), file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'no reason given';
    const way = code === 'ENOENT' ? `. "npm run wallet -- new ${file}" makes a key` : '';
    return fault(`the key file ${file} cannot be read (${code})${way}`);
  }
}

function parseKey(text: string, from: string): KeyReading {
  const digits = text.trim().replace(/^0x/, '');
  try {
    if (/^[0-9a-fA-F]{64}$/.test(digits)) return { ok: true, wallet: new Wallet(`0x${digits}`), from };
  } catch {
    // The key is zero, or not below the curve's order. The message never repeats a key.
  }
  return fault(`${from} is not a private key. A key has 64 hex digits, with or without 0x`);
}

function fault(message: string): KeyReading {
  return { ok: false, message: asTyped(message) };
}
