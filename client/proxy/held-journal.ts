import type { Journal, JournalEntry } from '../payment/journal.ts';

/** A journal for one purchase. */
export type HeldJournal = {
  readonly journal: Journal;
  /** Ends the payment: `closed` once the tool has the completion, `open` if an equal request must get it. */
  release(as: 'open' | 'closed'): void;
};

/**
 * Keeps the payment of a purchase open until the tool has the completion. So after a crash of the proxy between the
 * gateway's response and the tool's, an equal request gets the completion by the same payment (D-291).
 */
export function holdPayment(journal: Journal): HeldJournal {
  let held: JournalEntry | null = null;
  const hold = (entry: JournalEntry): JournalEntry => ({
    record: entry.record,
    end(as) {
      if (as === 'closed') held = entry;
      else entry.end(as);
    },
  });
  return {
    journal: {
      amountSigned: journal.amountSigned,
      reserve(price, rules, nowSeconds) {
        const reserved = journal.reserve(price, rules, nowSeconds);
        return reserved.ok ? { ok: true, entry: hold(reserved.entry) } : reserved;
      },
      take(fingerprint, nowSeconds) {
        const open = journal.take(fingerprint, nowSeconds);
        return open && { payment: open.payment, entry: hold(open.entry) };
      },
    },
    release(as) {
      const ending = held;
      held = null;
      ending?.end(as);
    },
  };
}
