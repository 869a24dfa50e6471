import type { AnswerCipher } from '../answer-cipher.ts';
import type { Row } from '../rows.ts';
import type { OpenStore, PaymentRecord } from '../store.ts';
import type { Statements } from './database.ts';
import type { Health } from './health.ts';

/** What the worker does for the thread that asks. */
export type Operation = Exclude<keyof OpenStore, 'close'>;

/** The port without its promises: each runs to its end inside the transaction that is open. */
export type SyncStore = {
  readonly [Name in Operation]: (
    ...parameters: Parameters<OpenStore[Name]>
  ) => Awaited<ReturnType<OpenStore[Name]>>;
};

export type SyncStorePorts = {
  readonly statements: Statements;
  readonly cipher: AnswerCipher;
  readonly health: Health;
  /** Unix seconds, by the clock of the thread that asks. */
  readonly stamp: () => number;
  readonly balanceAgeMaxSeconds: number;
  readonly onFault: (fault: string) => void;
};

/** A row and the answer in it, opened. */
export type ReadPayment = (row: Row) => PaymentRecord;
