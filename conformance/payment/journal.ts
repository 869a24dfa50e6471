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

/** What became of a signed value: nothing yet; answered with 200; answered with 4xx; nobody can say. */
export type PaymentState = 'signing' | 'settled' | 'refused' | 'unknown';

/** One line of the journal. There is neither key nor signature in it, so that whoever finds it can move nothing. */
export type JournalRow = {
  /** By the clock of the run, as ISO 8601. */
  readonly time: string;
  readonly state: PaymentState;
  /** The requirement for whose sake it was signed. */
  readonly requirement: string;
  /** In the token's smallest unit. */
  readonly value: string;
  readonly from: string;
  readonly payTo: string;
  readonly asset: string;
  readonly resource: string;
  /** Unix seconds after which the signature is worth nothing. */
  readonly validBefore: number;
  readonly nonce: string;
};

/** A record of what is signed, kept where the end of this process cannot take it. */
export type Journal = {
  /** Where it is to be found, for people. */
  readonly place: string;
  /** Returns once the row is on the disk; otherwise what went wrong, and then nothing may be signed. */
  append(row: JournalRow): string | undefined;
};

export type JournalOpened =
  | { readonly ok: true; readonly journal: Journal }
  | { readonly ok: false; readonly fault: string };

/** Where the command line keeps its journal unless told otherwise: before the eyes of whoever started it (D-111). */
export const journalFileDefault = 'conformance-spend.jsonl';

/**
 * Opens a journal to write at its end, one JSON object a line; earlier runs are kept. A file that cannot be written is a
 * fault here already, before anything is sent.
 */
export function openJournal(path: string): JournalOpened {
  try {
    const file = openSync(path, 'a+', 0o600);
    if (!fstatSync(file).isFile()) {
      closeSync(file);
      return { ok: false, fault: `the journal ${path} is no file` };
    }
    // A run that was cut off in the middle of a line must not spoil the first line of this one.
    if (isMidLine(file)) writeWhole(file, '\n');
    fsyncSync(file);
    syncFolder(dirname(path));
    return { ok: true, journal: journalIn(file, path) };
  } catch (error) {
    return { ok: false, fault: `the journal ${path} cannot be written: ${fileReason(error, path)}` };
  }
}

/** What would keep a journal from being written, without making or changing one. */
export function journalFault(path: string): string | undefined {
  try {
    if (!existsSync(path)) {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
      return undefined;
    }
    const file = openSync(path, 'r+');
    const isFile = fstatSync(file).isFile();
    closeSync(file);
    return isFile ? undefined : `the journal ${path} is no file`;
  } catch (error) {
    return `the journal ${path} cannot be written: ${fileReason(error, path)}`;
  }
}

function journalIn(file: number, path: string): Journal {
  let fault: string | undefined;
  return {
    place: path,
    append(row) {
      // After half a line nothing that follows can be trusted to be read.
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

/** The name of a new file is only as durable as the folder that it stands in. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
