import { postRequest } from '../bench/measure/load.ts';
import { chat } from '../bench/targets/gateway.ts';
import { contractHeader } from '../bench/targets/paid-load.ts';
import type { SignedPayload } from '../bench/targets/payments.ts';
import type { Answer } from './connections.ts';

/** A signed payment, and the bytes of its request. */
export type Payment = { readonly nonce: string; readonly request: Buffer };

/** All payments of a run, with the last answer to each. */
export type Book = {
  note(payment: Payment, answer: Answer): void;
  /** Nonces of the payments with a completion. */
  readonly served: ReadonlySet<string>;
  /** Payments without one. */
  readonly unserved: ReadonlyMap<string, Unserved>;
};

type Unserved = { readonly request: Buffer; readonly answer: Answer };

export function openBook(): Book {
  const served = new Set<string>();
  const unserved = new Map<string, Unserved>();
  return {
    served,
    unserved,
    note({ nonce, request }, answer) {
      if (isServed(answer)) {
        served.add(nonce);
        unserved.delete(nonce);
      } else if (!served.has(nonce)) unserved.set(nonce, { request, answer });
    },
  };
}

export function isServed(answer: Answer): boolean {
  return answer.kind === 'response' && answer.status === 200;
}

/** Returns a function that signs the payment of a new purchase from a gateway. */
export function createPayments(url: string, sign: () => SignedPayload): () => Payment {
  return () => {
    const payload = sign();
    return {
      nonce: payload.authorization.nonce,
      request: postRequest(`${url}${chat.path}`, chat.body, contractHeader(payload)),
    };
  };
}

/** Counts answers by status and code, such as `503 overloaded`. */
export type AnswerCounts = {
  note(answer: Answer): void;
  /** All answers for which the function returns true. */
  count(isMeant: (answer: Answer) => boolean): number;
  describe(): string;
};

export function countAnswers(): AnswerCounts {
  const counts = new Map<string, { readonly answer: Answer; count: number }>();
  return {
    note(answer) {
      const name = describeAnswer(answer);
      const known = counts.get(name) ?? { answer, count: 0 };
      known.count += 1;
      counts.set(name, known);
    },
    count: (isMeant) =>
      [...counts.values()].reduce((sum, { answer, count }) => sum + (isMeant(answer) ? count : 0), 0),
    describe: () => [...counts].map(([name, { count }]) => `${count} × ${name}`).join(', ') || 'nothing',
  };
}

function describeAnswer(answer: Answer): string {
  if (answer.kind === 'lost') return `no response (${answer.why})`;
  const { status, code, retryAfterSeconds } = answer;
  const missing = status === 503 && retryAfterSeconds === null ? ' without Retry-After' : '';
  return `${status}${code === null ? '' : ` ${code}`}${missing}`;
}
