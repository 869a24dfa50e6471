import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileReason } from './file-reason.ts';

/**
 * State of a signed payment. `signing`: no response yet; `settled`: status 200; `refused`: status 4xx;
 * `unknown`: another status, or no valid response.
 */
export type PaymentState = 'signing' | 'settled' | 'refused' | 'unknown';

/** One line of the journal. It contains neither key nor signature, so it gives no access to tokens. */
export type JournalRow = {
  /** ISO 8601 time by the clock of the run. */
  readonly time: string;
  readonly state: PaymentState;
  /** The requirement for which the payment was signed. */
  readonly requirement: string;
  /** In the token's smallest unit. */
  readonly value: string;
  readonly from: string;
  readonly payTo: string;
  readonly asset: string;
  readonly resource: string;
  /** Unix seconds after which the signature is invalid. */
  readonly validBefore: number;
  readonly nonce: string;
};

/** A durable record of signed payments, which survives the end of this process. */
export type Journal = {
  /** Path of the journal, for people. */
  readonly place: string;
  /**
   * Returns undefined once the row is on the disk, otherwise the fault. After a fault nothing may be signed.
   */
  append(row: JournalRow): string | undefined;
};

export type JournalOpened =
  | { readonly ok: true; readonly journal: Journal }
  | { readonly ok: false; readonly fault: string };

/** Default journal of the command line: in the working directory, where the caller sees it (D-111). */
export const journalFileDefault = 'conformance-spend.jsonl';

/**
 * Opens a journal for appending, one JSON object per line; rows of earlier runs stay. A file that cannot be
 * written is reported here, before anything is sent.
 */
export function openJournal(path: string): JournalOpened {
  try {
    const file = openSync(path, 'a+', 0o600);
    if (!fstatSync(file).isFile()) {
      closeSync(file);
      return {
        ok: false,
        fault: `the journal ${path} is not a regular file. Name another one with --journal`,
      };
    }
    // An earlier run may have ended in the middle of a line.
    if (isMidLine(file)) writeWhole(file, '\n');
    fsyncSync(file);
    syncFolder(dirname(path));
    return { ok: true, journal: journalIn(file, path) };
  } catch (error) {
    return { ok: false, fault: `the journal ${path} cannot be written: ${fileReason(error, path)}` };
  }
}

/** The fault that would prevent writing the journal, found without creating or changing a file. */
export function journalFault(path: string): string | undefined {
  try {
    if (!existsSync(path)) {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
      return undefined;
    }
    const file = openSync(path, 'r+');
    const isFile = fstatSync(file).isFile();
    closeSync(file);
    return isFile ? undefined : `the journal ${path} is not a regular file. Name another one with --journal`;
  } catch (error) {
    return `the journal ${path} cannot be written: ${fileReason(error, path)}`;
  }
}

function journalIn(file: number, path: string): Journal {
  let fault: string | undefined;
  return {
    place: path,
    append(row) {
      // After an incomplete line, readers could misread later rows.
      if (fault !== undefined) return fault;
      try {
        writeWhole(file, `${JSON.stringify(row)}\n`);
        fsyncSync(file);
      } catch (error) {
        fault = `the journal ${path} cannot be written: ${fileReason(error, path)}`;
      }
      return fault;
    },
  };
}

function isMidLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

/** A new file name is durable only after its folder is synced. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
