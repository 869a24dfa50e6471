import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { SavedExchange } from '@paid-inference/contract/types';
import { describeFault } from '../chain-provider.ts';
import { type ExchangeReading, readExchange } from '../saved-exchange.ts';

/** A new file for an exchange. */
export type ExchangeFile = {
  /** Never throws, because the purchase is made. */
  save(exchange: SavedExchange): void;
  /** Why the exchange was not saved, as a sentence; null when it was saved, or nothing was bought. */
  readonly fault: string | null;
  /** Deletes the file when nothing was saved. */
  close(): void;
};

/** Only the owner may read the file, because it holds prompt, completion and payment. */
const mode = 0o600;

/**
 * Creates the file before the payment, so that a purchase never lacks a place to be saved. Never touches an
 * existing file, which may hold another exchange. Returns a string with the reason when it fails.
 */
export function createExchangeFile(path: string): ExchangeFile | string {
  let file: number;
  try {
    file = openSync(path, 'wx', mode);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return exists
      ? `${path} exists, and an exchange is never overwritten. Name a new file`
      : `${path} cannot be written: ${describeFault(error)}`;
  }
  let isSaved = false;
  let fault: string | null = null;
  return {
    save(exchange) {
      try {
        writeFileSync(file, formatExchange(exchange));
        isSaved = true;
      } catch (error) {
        fault = `${path} cannot be written: ${describeFault(error)}. The exchange is not saved.`;
      }
    },
    get fault() {
      return fault;
    },
    close() {
      closeSync(file);
      if (!isSaved) rmSync(path, { force: true });
    },
  };
}

export function readExchangeFile(path: string): ExchangeReading {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { ok: false, message: `${path} cannot be read: ${describeFault(error)}` };
  }
  const read = readExchange(text);
  return read.ok ? read : { ok: false, message: `${path} is not a saved exchange: ${read.message}` };
}

/** Replaces a saved exchange in one step. Returns null, or the reason when it fails. */
export function replaceExchangeFile(path: string, exchange: SavedExchange): string | null {
  try {
    writeFileSync(`${path}.new`, formatExchange(exchange), { mode });
    renameSync(`${path}.new`, path);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${describeFault(error)}`;
  }
}

function formatExchange(exchange: SavedExchange): string {
  return `${JSON.stringify(exchange, null, 2)}\n`;
}
