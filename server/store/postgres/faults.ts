import pg from 'pg';
import { StoreUnavailable } from '../store.ts';

/**
 * The SQLSTATE classes of a wrong statement or parameter, which are defects of the gateway. Every other class
 * is a fault of the server: 08 connection, 25006 read-only, 40 serialisation and deadlock, 53 resources, 57
 * shutdown and timeouts, 58 disk.
 */
const ours = ['0A', '21', '22', '23', '26', '2F', '34', '39', '42', 'P0'];

/**
 * Faults of the server in class 42: a table, a column or a function is gone, as during a restore, or its rights were
 * taken away (D-402).
 */
const notOurs = ['42P01', '42703', '42883', '42501'];

/** Whether an immediate retry may succeed: the statement had no effect, and the conflict may be over. */
export function isContention(cause: unknown): boolean {
  return ['40001', '40P01'].includes(readCode(cause));
}

/**
 * Whether a newer version changed a table of the statement, so that the plan of this connection no longer fits
 * (D-380). The statement had no effect.
 */
export function isStalePlan(cause: unknown): boolean {
  return readCode(cause) === '0A000';
}

/** Whether the server's disk is full or broken. */
export function isDiskFault(cause: unknown): boolean {
  return ['53100', '58030'].includes(readCode(cause));
}

/**
 * Whether the connection can be used again. Only an error of the server proves that. A read-only session stays so
 * after the operator has made the database writable (25006).
 */
export function isConnectionSound(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && !/^(08|57P|25006)/.test(readCode(cause));
}

/**
 * Turns a fault of the server into `StoreUnavailable` without the server's address; returns a defect as it is.
 */
export function translate(cause: unknown): unknown {
  if (cause instanceof StoreUnavailable) return cause;
  if (cause instanceof pg.DatabaseError) {
    const code = readCode(cause);
    // The operation that raised one of our own conditions describes the error.
    if (code.startsWith('PI')) return cause;
    if (ours.includes(code.slice(0, 2)) && !notOurs.includes(code))
      return new Error(`${cause.message} (SQLSTATE ${code})`);
    return new StoreUnavailable(`the store cannot answer: ${cause.message} (SQLSTATE ${code})`);
  }
  // The driver throws these two before anything is sent, so they are defects.
  if (cause instanceof TypeError || cause instanceof RangeError) return cause;
  return new StoreUnavailable(`the store cannot be reached (${describeCause(cause)})`);
}

export function readCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function describeCause(cause: unknown): string {
  const code = readCode(cause);
  if (code !== '') return code;
  // The messages of the driver itself contain neither host nor user.
  return cause instanceof Error ? cause.message : 'unknown';
}
