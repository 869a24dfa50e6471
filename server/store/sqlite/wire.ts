import { LeaseLost, StaleFence } from '../relayer-lease.ts';
import { type StoreChain, StoreUnavailable } from '../store.ts';
import type { Operation } from './operations.ts';

/** What the worker is opened with. */
export type WorkerOptions = {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly balanceAgeMaxSeconds: number;
  readonly groupMax: number;
  readonly freeBytesMin: number;
  readonly answerKey: Uint8Array | null;
  readonly chain: StoreChain | null;
  readonly now: number;
  /** Whether it was open before: then there is nothing to make. */
  readonly again: boolean;
};

/** An operation on its way to the worker. */
export type WorkerRequest = {
  readonly id: number;
  readonly name: Operation;
  readonly parameters: readonly unknown[];
  /** Unix seconds when it was asked. */
  readonly now: number;
};

/** What the thread that asks sends; `close` ends the worker once everything before it is answered. */
export type ToWorker =
  | { readonly kind: 'ask'; readonly requests: readonly WorkerRequest[] }
  | { readonly kind: 'close' };

export type WorkerResponse = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly thrown: Thrown }
);

/** What the worker sends. */
export type FromWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'not-opened'; readonly thrown: Thrown }
  | { readonly kind: 'responses'; readonly responses: readonly WorkerResponse[] }
  | { readonly kind: 'fault'; readonly fault: string };

/** An error as it crosses between threads, which would take its class away. */
export type Thrown = {
  readonly kind: 'unavailable' | 'stale-fence' | 'lease-lost' | 'defect';
  readonly message: string;
};

const storeIssue = 'the store cannot be written';

/** SQLite's own trouble (a full disk, a held file) is not the caller's fault; a broken constraint is our defect. */
export function pack(cause: unknown): Thrown {
  if (cause instanceof StoreUnavailable) return { kind: 'unavailable', message: cause.message };
  if (cause instanceof StaleFence) return { kind: 'stale-fence', message: cause.message };
  if (cause instanceof LeaseLost) return { kind: 'lease-lost', message: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Error && 'errcode' in cause && !isOurs(Number(cause.errcode))) {
    return { kind: 'unavailable', message: `${storeIssue}: ${message}` };
  }
  return { kind: 'defect', message };
}

export function unpack({ kind, message }: Thrown): Error {
  if (kind === 'unavailable') return new StoreUnavailable(message);
  if (kind === 'lease-lost') return new LeaseLost(message);
  return kind === 'stale-fence' ? new StaleFence(message) : new Error(message);
}

/** A full or a broken disk. */
export function isDiskFault(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && [10, 13].includes(Number(cause.errcode) & 0xff);
}

/** By the low byte of SQLite's extended codes: an error in our SQL, a broken constraint, a wrong type, a misuse. */
function isOurs(errcode: number): boolean {
  return [1, 19, 20, 21, 25].includes(errcode & 0xff);
}
