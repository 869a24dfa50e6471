import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import type { SavedExchange } from '@paid-inference/contract/types';
import { faultOf } from '../chain-provider.ts';
import { type ExchangeReading, readExchange } from '../saved-exchange.ts';

/** A file that waits for what is bought. */
export type ExchangeFile = {
  save(exchange: SavedExchange): void;
  /** Leaves no file behind where nothing was saved. */
  close(): void;
};

/** It holds prompt, answer and payment: for nobody but its owner. */
const mode = 0o600;

/**
 * Makes the file before anything is paid for, so that a purchase does not end without the place where it should go. A
 * file that exists is never touched: there may be another exchange in it. A string says why there is none.
 */
export function createExchangeFile(path: string): ExchangeFile | string {
  let file: number;
  try {
    file = openSync(path, 'wx', mode);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return exists
      ? `${path} exists: an exchange is never overwritten`
      : `${path} cannot be written: ${faultOf(error)}`;
  }
  let isSaved = false;
  return {
    save(exchange) {
      writeSync(file, textOf(exchange));
      isSaved = true;
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
    return { ok: false, message: `${path} cannot be read: ${faultOf(error)}` };
  }
  const read = readExchange(text);
  return read.ok ? read : { ok: false, message: `${path} is no saved exchange: ${read.message}` };
}

/** Puts a fuller exchange in the place of one, whole or not at all. Null, or why it could not. */
export function replaceExchangeFile(path: string, exchange: SavedExchange): string | null {
  try {
    writeFileSync(`${path}.new`, textOf(exchange), { mode });
    renameSync(`${path}.new`, path);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${faultOf(error)}`;
  }
}

function textOf(exchange: SavedExchange): string {
  return `${JSON.stringify(exchange, null, 2)}\n`;
}
