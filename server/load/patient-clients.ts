import { type Book, countSeen, isServed, type Payment, type SeenCounts } from './book.ts';
import type { Connections, Seen } from './connections.ts';
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
  readonly counts: SeenCounts;
  readonly served: number;
  readonly givenUp: number;
  /** The longest time from the first request of a payment to its completion. */
  readonly longestMs: number;
};

/** Longer than a killed gateway keeps a reservation. */
const patienceMs = 60_000;
const pauseMsUsual = 500;

export function createPatientClients({ connections, book, nextPayment, pace }: PatientPorts): PatientClients {
  const counts = countSeen();
  let [served, givenUp, longestMs] = [0, 0, 0];
  return {
    async pay() {
      const payment = nextPayment();
      const startedAt = pace.nowMs();
      for (;;) {
        const seen = await connections.send(payment.request);
        counts.note(seen);
        book.note(payment, seen);
        const tookMs = pace.nowMs() - startedAt;
        if (isServed(seen)) {
          served += 1;
          longestMs = Math.max(longestMs, tookMs);
          return;
        }
        if (!mayRepeat(seen) || tookMs > patienceMs) {
          givenUp += 1;
          return;
        }
        await pace.wait(pauseAfter(seen));
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

function mayRepeat(seen: Seen): boolean {
  return seen.kind === 'lost' || seen.status === 429 || seen.status >= 500;
}

function pauseAfter(seen: Seen): number {
  const seconds = seen.kind === 'lost' ? null : seen.retryAfterSeconds;
  return seconds === null ? pauseMsUsual : seconds * 1_000;
}
