import { type AnswerCounts, type Book, countAnswers, isServed, type Payment } from './book.ts';
import type { Answer, Connections } from './connections.ts';
import type { Pace } from './pace.ts';

export type PatientPorts = {
  readonly connections: Pick<Connections, 'send'>;
  readonly book: Book;
  readonly nextPayment: () => Payment;
  readonly pace: Pace;
};

/** Clients that send a payment again until they have its completion, as the contract asks them to. */
export type PatientClients = {
  /** Pays once. Resolves with the completion, or when the client gives up. */
  pay(): Promise<void>;
  readonly counts: AnswerCounts;
  readonly served: number;
  readonly givenUp: number;
  /** The longest time from the first request of a payment to its completion. */
  readonly longestMs: number;
};

/** Longer than a killed gateway keeps a reservation. */
const patienceMs = 60_000;
const pauseMsUsual = 500;

export function createPatientClients({ connections, book, nextPayment, pace }: PatientPorts): PatientClients {
  const counts = countAnswers();
  let [served, givenUp, longestMs] = [0, 0, 0];
  return {
    async pay() {
      const payment = nextPayment();
      const startedAt = pace.nowMs();
      for (;;) {
        const answer = await connections.send(payment.request);
        counts.note(answer);
        book.note(payment, answer);
        const tookMs = pace.nowMs() - startedAt;
        if (isServed(answer)) {
          served += 1;
          longestMs = Math.max(longestMs, tookMs);
          return;
        }
        if (!mayRepeat(answer) || tookMs > patienceMs) {
          givenUp += 1;
          return;
        }
        await pace.wait(pauseAfter(answer));
      }
    },
    counts,
    get served() {
      return served;
    },
    get givenUp() {
      return givenUp;
    },
    get longestMs() {
      return longestMs;
    },
  };
}

function mayRepeat(answer: Answer): boolean {
  return answer.kind === 'lost' || answer.status === 429 || answer.status >= 500;
}

function pauseAfter(answer: Answer): number {
  const seconds = answer.kind === 'lost' ? null : answer.retryAfterSeconds;
  return seconds === null ? pauseMsUsual : seconds * 1_000;
}
