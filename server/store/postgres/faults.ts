import pg from 'pg';
import { StoreUnavailable } from '../store.ts';

/**
 * SQLSTATE classes that say that our statement is wrong, or what it was given; every other class is trouble of the server:
 * 08 connection, 25006 read-only, 40 serialisation and deadlock, 53 resources, 57 shutdown and timeouts, 58 disk.
 */
const ours = ['0A', '21', '22', '23', '26', '2F', '34', '39', '42', 'P0'];

/** Worth another attempt at once: the statement did not happen, and the next time may find the way free. */
export function isContention(cause: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(cause));
}

/** Whether the connection still answers; after anything but an error of the server nobody knows. */
export function isConnectionSound(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && !/^(08|57P)/.test(codeOf(cause));
}

/** The server's trouble as unavailability, without a word of where the server is; a defect of ours as it came. */
export function translate(cause: unknown): unknown {
  if (cause instanceof StoreUnavailable) return cause;
  if (cause instanceof pg.DatabaseError) {
    const code = codeOf(cause);
    // One of our own conditions; the operation that raised it knows what to say.
    if (code.startsWith('PI')) return cause;
    if (ours.includes(code.slice(0, 2))) return new Error(`${cause.message} (SQLSTATE ${code})`);
    return new StoreUnavailable(`the store cannot answer: ${cause.message} (SQLSTATE ${code})`);
  }
  // These two are ours before anything was sent.
  if (cause instanceof TypeError || cause instanceof RangeError) return cause;
  return new StoreUnavailable(`the store cannot be reached (${reasonOf(cause)})`);
}

export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  if (code !== '') return code;
  // The texts of the driver itself, which name neither host nor user.
  return cause instanceof Error ? cause.message : 'unknown';
}
