import type { Offer } from '../payment/offer.ts';
import { identify, type SentPayment } from './wire.ts';

/** One request to the gateway, as it was recorded. */
export type Recorded = {
  readonly atSeconds: number;
  readonly method: string;
  readonly path: string;
  /** The request went to the other origin, to which the gateway redirected. */
  readonly isElsewhere: boolean;
  readonly payment: SentPayment | 'unreadable' | undefined;
  /** The request asked for a stream. */
  readonly asksForStream: boolean;
  /** The last offer before this request. */
  readonly offer: Offer | undefined;
  /** The gateway's reaction, for readers. */
  reaction: string;
  /** The payment was good, so the gateway played its part of the scenario. */
  isAccepted: boolean;
  /** The whole completion was written to an open connection. */
  isDelivered: boolean;
};

/** How a run of the command ended. */
export type Ended = {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  /** The deadline ended the command. */
  readonly isOverdue: boolean;
  /** The end of its output on standard error. */
  readonly output: string;
  /** Why the command could not be started. */
  readonly unstartable?: string;
};

/** The recording of a scenario after the command has ended. */
export type Played = {
  readonly scenario: string;
  readonly isHonest: boolean;
  readonly requests: readonly Recorded[];
  readonly ends: readonly Ended[];
  /**
   * The payments that moved tokens, by `identify`. After the command, every authorization that the client sent
   * went to the token, as a gateway could do.
   */
  readonly settled: ReadonlySet<string>;
  readonly purchases: number;
};

/** A payment with the request that brought it first. */
export type Signed = { readonly payment: SentPayment; readonly request: Recorded };

/** The distinct payments that the client sent, in order. */
export function listSigned({ requests }: Pick<Played, 'requests'>): readonly Signed[] {
  const signed = new Map<string, Signed>();
  for (const request of requests) {
    const { payment } = request;
    if (payment === undefined || payment === 'unreadable') continue;
    const key = identify(payment);
    if (!signed.has(key)) signed.set(key, { payment, request });
  }
  return [...signed.values()];
}

export function countDelivered({ requests }: Played): number {
  return requests.filter(({ isDelivered }) => isDelivered).length;
}

/** The number of requests with a payment that the gateway took for good. */
export function countAccepted({ requests }: Played): number {
  return requests.filter(({ isAccepted }) => isAccepted).length;
}

export function isOverdue({ ends }: Played): boolean {
  return ends.some((end) => end.isOverdue);
}
