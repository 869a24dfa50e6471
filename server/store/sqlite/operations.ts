import type { CompletionCipher } from '../completion-cipher.ts';
import type { Row } from '../rows.ts';
import type { OpenStore, PaymentRecord } from '../store.ts';
import type { Statements } from './database.ts';
import type { Health } from './health.ts';

/** The operations that the worker runs for the main thread. */
export type Operation = Exclude<keyof OpenStore, 'close'>;

/** The store without promises: each operation runs to its end inside the open transaction. */
export type SyncStore = {
  readonly [Name in Operation]: (
    ...parameters: Parameters<OpenStore[Name]>
  ) => Awaited<ReturnType<OpenStore[Name]>>;
};

export type SyncStorePorts = {
  readonly statements: Statements;
  readonly cipher: CompletionCipher;
  readonly health: Health;
  /** Unix seconds, by the clock of the main thread. */
  readonly stamp: () => number;
  readonly balanceAgeMaxSeconds: number;
  readonly onFault: (fault: string) => void;
};

/** Reads a row and decrypts its completion. */
export type ReadPayment = (row: Row) => PaymentRecord;
