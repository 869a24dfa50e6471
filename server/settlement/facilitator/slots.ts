import type { PaymentRecord } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';

/** Slots for the payments that are with a facilitator at once, shared among payers (D-164). */
export interface Slots {
  /**
   * Resolves when this payment gets a slot; null where `closing` came first. `tries` is how often the payment had a slot
   * before.
   */
  take(payment: PaymentRecord, tries: number): Promise<Slot | null>;
}

export type Slot = {
  readonly free: () => void;
  /** False if the window of the payment has ended, and all slots are taken: then only the chain may be read (D-430). */
  readonly mayAsk: boolean;
};

type Turn = { readonly payment: PaymentRecord; readonly tries: number };
type Waiting = Turn & { readonly start: (slot: Slot | null) => void };

/** The durations of this many calls give the typical one. */
const durationsMax = 9;

/**
 * New payments come first: in turn, the one that waits longest and the one whose window ends first. A payment whose window
 * ends before a call would comes last. One payer has at most half of the slots, and so have all failed payments together. One failed payment
 * always has a slot, unless there is a single slot.
 */
export function createSlots(max: number, closing: AbortSignal, clock: Clock): Slots {
  const share = Math.ceil(max / 2);
  const busy = new Set<Turn>();
  const reading = new Set<Turn>();
  const waiting = new Set<Waiting>();
  const durationsMs: number[] = [];
  /** Payments with short windows must not keep others waiting for ever. */
  let isOldestNext = false;
  closing.addEventListener('abort', dismiss);
  return {
    take(payment, tries) {
      const { promise, resolve } = Promise.withResolvers<Slot | null>();
      if (closing.aborted) return Promise.resolve(null);
      waiting.add({ payment, tries, start: resolve });
      fill();
      return promise;
    },
  };

  function fill(): void {
    while (busy.size < max) {
      const next = choose();
      if (next === null) break;
      isOldestNext = !isOldestNext;
      start(next, busy, true);
    }
    const now = secondsAfter(0);
    for (const each of waiting) if (reading.size < max && endsBy(each, now)) start(each, reading, false);
  }

  function start(turn: Waiting, among: Set<Turn>, mayAsk: boolean): void {
    const startedMs = clock.monotonicMs();
    waiting.delete(turn);
    among.add(turn);
    const free = () => {
      if (mayAsk) durationsMs.unshift(clock.monotonicMs() - startedMs);
      durationsMs.splice(durationsMax);
      among.delete(turn);
      fill();
    };
    turn.start({ free, mayAsk });
  }

  function choose(): Waiting | null {
    const again = [...busy].filter(({ tries }) => tries > 0).length;
    const isAgainFirst = again === 0 && max > 1;
    const callEnds = secondsAfter(durationsMs.toSorted((a, b) => a - b)[durationsMs.length >> 1] ?? 0);
    const order = { isAgainFirst, isOldestFirst: isOldestNext, callEnds };
    let best: Waiting | null = null;
    for (const each of waiting) {
      const mayStart = (each.tries === 0 || again < share) && countTaken(each.payment) < share;
      if (mayStart && (best === null || isBefore(each, best, order))) best = each;
    }
    return best;
  }

  function secondsAfter(ms: number): bigint {
    return BigInt(Math.ceil(clock.nowSeconds() + ms / 1_000));
  }

  function countTaken({ authorization: { from } }: PaymentRecord): number {
    let taken = 0;
    for (const { payment } of busy) if (payment.authorization.from === from) taken += 1;
    return taken;
  }

  function dismiss(): void {
    for (const { start: end } of waiting) end(null);
    waiting.clear();
  }
}

type Order = { readonly isAgainFirst: boolean; readonly isOldestFirst: boolean; readonly callEnds: bigint };

/** `other` waits longer than `one`. */
function isBefore(one: Turn, other: Turn, { isAgainFirst, isOldestFirst, callEnds }: Order): boolean {
  const isLate = endsBy(one, callEnds);
  if (isLate !== endsBy(other, callEnds)) return !isLate;
  if (one.tries > 0 !== other.tries > 0) return one.tries > 0 === isAgainFirst;
  if (one.tries !== other.tries) return one.tries < other.tries;
  return !isOldestFirst && one.payment.authorization.validBefore < other.payment.authorization.validBefore;
}

function endsBy({ payment }: Turn, seconds: bigint): boolean {
  return payment.authorization.validBefore <= seconds;
}
