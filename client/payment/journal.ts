import type { SignedPayment } from './authorization.ts';
import { checkSums, hourSeconds, type Refusal, type SpendingRules } from './rules.ts';

/** The payments of a payer: their sum, and the authorizations whose outcome is unknown. */
export type Journal = {
  /**
   * Reserves a price before the signature, or names the rule that forbids it. Synchronous, so that two concurrent
   * requests cannot reserve the same units.
   */
  reserve(price: bigint, rules: SpendingRules, nowSeconds: number): Reservation;
  /**
   * Takes the open authorization of an equal request, so that an SDK that retries does not pay twice. Null when
   * there is none that the chain still accepts.
   */
  take(fingerprint: string, nowSeconds: number): OpenPayment | null;
  /** The sum of the reserved prices, without those of authorizations that never left this process. */
  amountSigned(): bigint;
};

type Reservation =
  | { readonly ok: true; readonly entry: JournalEntry }
  | { readonly ok: false; readonly refusal: Refusal };

export type OpenPayment = { readonly payment: SignedPayment; readonly entry: JournalEntry };

/** The entry of one payment. */
export type JournalEntry = {
  /** Keeps the authorization. Afterwards it may leave this process. */
  record(fingerprint: string, payment: SignedPayment): void;
  end(as: PaymentEnd): void;
};

/**
 * How a request with a payment ended. `unsent`: the authorization never left this process, so its price is free.
 * `open`: an equal request sends it again. `closed`: nothing sends it again. The gateway can settle an authorization
 * until `validBefore`, even after it refused the payment, so the price of a closed one still counts.
 */
export type PaymentEnd = 'unsent' | 'open' | 'closed';

type Kept = {
  readonly price: bigint;
  readonly signedAt: number;
  fingerprint: string | null;
  /** Null before the signature and after the end. */
  payment: SignedPayment | null;
  inUse: boolean;
};

/**
 * Takes the open authorization of an equal request by the same payer. Another payer's stays open: after a change of the
 * key, and on a new devnet, the gateway would reject it.
 */
export async function takeOwn(
  { take }: Pick<Journal, 'take'>,
  fingerprint: string,
  nowSeconds: number,
  getAddress: () => Promise<string>,
): Promise<OpenPayment | null> {
  let open = take(fingerprint, nowSeconds);
  if (open === null) return null;
  const payer = (await getAddress().catch(() => open?.payment.authorization.from))?.toLowerCase();
  const others: JournalEntry[] = [];
  while (open !== null && open.payment.authorization.from.toLowerCase() !== payer) {
    others.push(open.entry);
    open = take(fingerprint, nowSeconds);
  }
  for (const entry of others) entry.end('open');
  return open;
}

/** A journal that ends with the process. */
export function createMemoryJournal(): Journal {
  const entries = new Set<Kept>();
  let total = 0n;

  function enter(kept: Kept): JournalEntry {
    return {
      record(fingerprint, payment) {
        kept.fingerprint = fingerprint;
        kept.payment = payment;
      },
      end(as) {
        kept.inUse = false;
        if (as === 'closed') kept.payment = null;
        if (as === 'unsent' && entries.delete(kept)) total -= kept.price;
      },
    };
  }

  return {
    amountSigned: () => total,
    reserve(price, rules, nowSeconds) {
      const hourAgo = nowSeconds - hourSeconds;
      let lastHour = 0n;
      for (const kept of entries) {
        if (kept.signedAt > hourAgo) lastHour += kept.price;
        else if (!kept.inUse && !isValid(kept.payment, nowSeconds)) entries.delete(kept);
      }
      const refusal = checkSums(price, { total, lastHour }, rules);
      if (refusal !== null) return { ok: false, refusal };
      const kept: Kept = { price, signedAt: nowSeconds, fingerprint: null, payment: null, inUse: true };
      entries.add(kept);
      total += price;
      return { ok: true, entry: enter(kept) };
    },
    take(fingerprint, nowSeconds) {
      for (const kept of entries) {
        const { payment } = kept;
        if (kept.inUse || kept.fingerprint !== fingerprint || !isValid(payment, nowSeconds)) continue;
        kept.inUse = true;
        return { payment, entry: enter(kept) };
      }
      return null;
    },
  };
}

function isValid(payment: SignedPayment | null, nowSeconds: number): payment is SignedPayment {
  return payment !== null && nowSeconds < payment.authorization.validBefore;
}
