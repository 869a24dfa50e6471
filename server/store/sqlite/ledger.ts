import type { AnswerCipher } from '../answer-cipher.ts';
import { unreadableAnswer } from '../answer-cipher.ts';
import { paymentOf, type Row } from '../rows.ts';
import type { PaymentRecord, Store } from '../store.ts';
import { answerOperations } from './answers.ts';
import type { Statements } from './database.ts';
import { laneOperations } from './lanes.ts';
import { outcomeOperations } from './outcomes.ts';
import { reservationOperations } from './reservations.ts';

/** What the worker does for the thread that asks. */
export type Operation = Exclude<keyof Store, 'close'>;

/** The port without its promises: each runs to its end inside the transaction that is open. */
export type Ledger = {
  readonly [Name in Operation]: (...parameters: Parameters<Store[Name]>) => Awaited<ReturnType<Store[Name]>>;
};

export type LedgerPorts = {
  readonly statements: Statements;
  readonly cipher: AnswerCipher;
  /** Unix seconds, by the clock of the thread that asks. */
  readonly stamp: () => number;
  readonly balanceAgeMaxSeconds: number;
  readonly onFault: (fault: string) => void;
};

/** A row and the answer in it, opened. */
export type ReadPayment = (row: Row) => PaymentRecord;

export function createLedger(ports: LedgerPorts): Ledger {
  const { cipher, onFault } = ports;
  return {
    ...reservationOperations(ports, read),
    ...laneOperations(ports, read),
    ...outcomeOperations(ports, read),
    ...answerOperations(ports),
  };

  function read(row: Row): PaymentRecord {
    const sealed = row['answer'] as Uint8Array | null;
    if (sealed === null) return paymentOf(row, null);
    const id = Number(row['id']);
    const answer = cipher.open(id, sealed);
    if (answer === null) onFault(unreadableAnswer(id));
    return paymentOf(row, answer);
  }
}
