import type { PaymentRecord } from '../../store/store.ts';

/** Slots for the payments that are with a facilitator at once, shared among payers (D-164). */
export interface Slots {
  /**
   * Resolves when this payment gets a slot, with the function that frees the slot; null where `closing` came
   * first. `tries` is how often the payment had a slot before.
   */
  take(payment: PaymentRecord, tries: number): Promise<(() => void) | null>;
}

type Turn = { readonly payment: PaymentRecord; readonly tries: number };
type Waiting = Turn & { readonly start: (free: (() => void) | null) => void };

/**
 * New payments come first, in the order in which their windows end. One payer has at most half of the slots,
 * and so have all failed payments together. One failed payment always has a slot, unless there is a single
 * slot.
 */
export function createSlots(max: number, closing: AbortSignal): Slots {
  const share = Math.ceil(max / 2);
  const busy = new Set<Turn>();
  const waiting = new Set<Waiting>();
  closing.addEventListener('abort', dismiss);
  return {
    take(payment, tries) {
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
      if (closing.aborted) return Promise.resolve(null);
      waiting.add({ payment, tries, start: resolve });
      fill();
      return promise;
    },
  };

  function fill(): void {
    while (busy.size < max) {
      const next = choose();
      if (next === null) return;
      waiting.delete(next);
      busy.add(next);
      next.start(() => {
        busy.delete(next);
        fill();
      });
    }
  }

  function choose(): Waiting | null {
    const again = [...busy].filter(({ tries }) => tries > 0).length;
    const isAgainFirst = again === 0 && max > 1;
    let best: Waiting | null = null;
    for (const each of waiting) {
      const mayStart = (each.tries === 0 || again < share) && countTaken(each.payment) < share;
      if (mayStart && (best === null || isBefore(each, best, isAgainFirst))) best = each;
    }
    return best;
  }

  function countTaken({ authorization: { from } }: PaymentRecord): number {
    let taken = 0;
    for (const { payment } of busy) if (payment.authorization.from === from) taken += 1;
    return taken;
  }

  function dismiss(): void {
    for (const { start } of waiting) start(null);
    waiting.clear();
  }
}

function isBefore(one: Turn, other: Turn, isAgainFirst: boolean): boolean {
  if (one.tries > 0 !== other.tries > 0) return one.tries > 0 === isAgainFirst;
  if (one.tries !== other.tries) return one.tries < other.tries;
  return one.payment.authorization.validBefore < other.payment.authorization.validBefore;
}
