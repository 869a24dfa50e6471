import type { UnixSeconds } from '../../types/units.ts';
import type { AllowanceStore } from '../allowances.ts';
import type { CompletionCipher } from '../completion-cipher.ts';
import type { Row } from '../rows.ts';
import type { OpenStore, PaymentRecord } from '../store.ts';
import type { Statements } from './database.ts';
import type { Health } from './health.ts';

/** The embedded store. */
export interface SqliteStore extends Omit<OpenStore, keyof AllowanceStore> {
  /**
   * Corrects the times of earlier runs by the clock of this run (D-208). A process calls it after it opened a store that no
   * other process uses, until it returns less than `correctionsMax`: the refused payments that it changed.
   */
  correctTimes(now: UnixSeconds, debtBlockSeconds: number): Promise<number>;
}

/** The operations that the worker runs for the main thread. */
export type Operation = Exclude<keyof SqliteStore, 'close'>;

/** The store without promises: each operation runs to its end inside the open transaction. */
export type SyncStore = {
  readonly [Name in Operation]: (
    ...parameters: Parameters<SqliteStore[Name]>
  ) => Awaited<ReturnType<SqliteStore[Name]>>;
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
