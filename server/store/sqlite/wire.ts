import { StoreRefused } from '../migration.ts';
import { LeaseLost, StaleFence } from '../relayer-lease.ts';
import { type StoreChain, StoreUnavailable } from '../store.ts';
import type { Operation } from './operations.ts';
import type { StorePlace } from './store-place.ts';

/** The options that the worker gets at its start. */
export type WorkerOptions = StorePlace & {
  readonly busyTimeoutMs: number;
  readonly balanceAgeMaxSeconds: number;
  readonly groupMax: number;
  readonly freeBytesMin: number;
  readonly completionKey: Uint8Array | null;
  readonly chain: StoreChain | null;
  readonly now: number;
  /** True for a replacement of a worker that had opened the store: the file must exist. */
  readonly again: boolean;
};

/** An operation for the worker. */
export type WorkerRequest = {
  readonly id: number;
  readonly name: Operation;
  readonly parameters: readonly unknown[];
  /** When the request was made, in Unix seconds. */
  readonly now: number;
};

/** A message of the main thread. `close` ends the worker once it responded to everything before. */
export type ToWorker =
  | { readonly kind: 'ask'; readonly requests: readonly WorkerRequest[] }
  | { readonly kind: 'close' };

export type WorkerResponse = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly thrown: Thrown }
);

/** A message of the worker. */
export type FromWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'not-opened'; readonly thrown: Thrown }
  | { readonly kind: 'responses'; readonly responses: readonly WorkerResponse[] }
  | { readonly kind: 'fault'; readonly fault: string };

/** An error as a message between threads, which does not keep the class of an error. */
export type Thrown = {
  readonly kind: 'unavailable' | 'stale-fence' | 'lease-lost' | 'refused' | 'defect';
  readonly message: string;
};

const storeIssue = 'the store cannot be written';

/**
 * Turns an error into a message. A fault of SQLite (a full disk, a locked file) is `unavailable`; a broken
 * constraint is a defect.
 */
export function pack(cause: unknown): Thrown {
  if (cause instanceof StoreUnavailable) return { kind: 'unavailable', message: cause.message };
  if (cause instanceof StaleFence) return { kind: 'stale-fence', message: cause.message };
  if (cause instanceof LeaseLost) return { kind: 'lease-lost', message: cause.message };
  if (cause instanceof StoreRefused) return { kind: 'refused', message: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Error && 'errcode' in cause && !isOurs(Number(cause.errcode))) {
    return { kind: 'unavailable', message: `${storeIssue}: ${message}` };
  }
  return { kind: 'defect', message };
}

export function unpack({ kind, message }: Thrown): Error {
  if (kind === 'unavailable') return new StoreUnavailable(message);
  if (kind === 'lease-lost') return new LeaseLost(message);
  if (kind === 'refused') return new StoreRefused(message);
  return kind === 'stale-fence' ? new StaleFence(message) : new Error(message);
}

/** Whether the disk is full or broken. */
export function isDiskFault(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && [10, 13].includes(Number(cause.errcode) & 0xff);
}

/**
 * Whether the gateway caused the error: wrong SQL, a broken constraint, a wrong type, a misuse (low byte of
 * SQLite's codes).
 */
function isOurs(errcode: number): boolean {
  return [1, 19, 20, 21, 25].includes(errcode & 0xff);
}
