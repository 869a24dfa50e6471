import { type AnswerCipher, type SealedPart, unreadableAnswer } from '../answer-cipher.ts';
import { paymentOf, type Row } from '../rows.ts';
import type { OpenStore, PaymentRecord } from '../store.ts';
import { answerOperations } from './answers.ts';
import type { Statements } from './database.ts';
import type { Health } from './health.ts';
import { outcomeOperations } from './outcomes.ts';
import { proofOperations } from './proofs.ts';
import { leaseOperations } from './relayer-leases.ts';
import { reservationOperations } from './reservations.ts';

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

export function createSyncStore(ports: SyncStorePorts): SyncStore {
  const { cipher, onFault } = ports;
  return {
    ...reservationOperations(ports, read),
    ...leaseOperations(ports, read),
    ...outcomeOperations(ports, read),
    ...answerOperations(ports),
    ...proofOperations(ports),
    healthIssue: ports.health.issue,
  };

  function read(row: Row): PaymentRecord {
    return paymentOf(row, opened(row, 'answer'), opened(row, 'proof'));
  }

  function opened(row: Row, part: SealedPart): string | null {
    const sealed = row[part] as Uint8Array | null;
    if (sealed === null) return null;
    const id = Number(row['id']);
    const text = cipher.open(id, sealed, part);
    if (text === null) onFault(unreadableAnswer(id));
    return text;
  }
}
