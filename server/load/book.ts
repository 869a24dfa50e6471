import { postRequest } from '../bench/measure/load.ts';
import { chat } from '../bench/targets/gateway.ts';
import { contractHeader } from '../bench/targets/paid-load.ts';
import type { SignedPayload } from '../bench/targets/payments.ts';
import type { Seen } from './connections.ts';

/** A signed payment, and the bytes of its request. */
export type Payment = { readonly nonce: string; readonly request: Buffer };

/** All payments of a run, with the last response to each. */
export type Book = {
  note(payment: Payment, seen: Seen): void;
  /** Nonces of the payments with a completion. */
  readonly served: ReadonlySet<string>;
  /** Payments without one. */
  readonly unserved: ReadonlyMap<string, Unserved>;
};

type Unserved = { readonly request: Buffer; readonly seen: Seen };

export function openBook(): Book {
  const served = new Set<string>();
  const unserved = new Map<string, Unserved>();
  return {
    served,
    unserved,
    note({ nonce, request }, seen) {
      if (isServed(seen)) {
        served.add(nonce);
        unserved.delete(nonce);
      } else if (!served.has(nonce)) unserved.set(nonce, { request, seen });
    },
  };
}

export function isServed(seen: Seen): boolean {
  return seen.kind === 'response' && seen.status === 200;
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

/** Counts responses by status and code, such as `503 overloaded`. */
export type SeenCounts = {
  note(seen: Seen): void;
  /** All responses for which the function returns true. */
  count(isMeant: (seen: Seen) => boolean): number;
  describe(): string;
};

export function countSeen(): SeenCounts {
  const counts = new Map<string, { readonly seen: Seen; count: number }>();
  return {
    note(seen) {
      const name = describeSeen(seen);
      const known = counts.get(name) ?? { seen, count: 0 };
      known.count += 1;
      counts.set(name, known);
    },
    count: (isMeant) =>
      [...counts.values()].reduce((sum, { seen, count }) => sum + (isMeant(seen) ? count : 0), 0),
    describe: () => [...counts].map(([name, { count }]) => `${count} × ${name}`).join(', ') || 'nothing',
  };
}

function describeSeen(seen: Seen): string {
  if (seen.kind === 'lost') return `no response (${seen.why})`;
  const { status, code, retryAfterSeconds } = seen;
  const missing = status === 503 && retryAfterSeconds === null ? ' without Retry-After' : '';
  return `${status}${code === null ? '' : ` ${code}`}${missing}`;
}
