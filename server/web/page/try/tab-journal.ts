import type { Journal } from '@paid-inference/client';
import type { Priced } from './order.ts';

type OpenPayment = NonNullable<ReturnType<Journal['take']>>;
type Entry = OpenPayment['entry'];

/** A signed purchase whose completion has not arrived. */
export type KeptPurchase = {
  readonly order: Priced;
  readonly payment: OpenPayment['payment'];
  /** The request that the payment buys, as the client names it. */
  readonly fingerprint: string;
};

/** The storage of a tab. It survives a reload, and ends with the tab. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const place = 'paid-inference/open-purchase/1';

/** Reads the purchase that the tab keeps; null without one. */
export function readKept(storage: TabStorage | null): KeptPurchase | null {
  try {
    const { order, ...kept } = JSON.parse(storage?.getItem(place) ?? '');
    if (typeof kept.fingerprint !== 'string' || typeof kept.payment.header !== 'string') return null;
    return { ...kept, order: { ...order, price: BigInt(order.price) } };
  } catch {
    return null;
  }
}

/** Forgets the purchase, although the gateway may still settle it. */
export function forgetKept(storage: TabStorage | null): void {
  storage?.removeItem(place);
}

function keep(storage: TabStorage | null, { order, ...kept }: KeptPurchase): void {
  try {
    storage?.setItem(place, JSON.stringify({ ...kept, order: { ...order, price: String(order.price) } }));
  } catch {
    // A full storage must not stop a purchase. Then only a reload loses it.
  }
}

/**
 * The journal of one order. Before the signature leaves the page, the tab keeps the payment and the order, so that the
 * page can send the same payment again after a reload (D-378). `kept` is the payment of an earlier attempt.
 */
export function createTabJournal(
  storage: TabStorage | null,
  order: Priced,
  kept: KeptPurchase | null,
): Journal {
  let open = kept;
  let isInUse = false;
  let signed = kept === null ? 0n : order.price;
  const entry: Entry = {
    record(fingerprint, payment) {
      open = { order, payment, fingerprint };
      isInUse = true;
      keep(storage, open);
    },
    end(as) {
      isInUse = false;
      if (as === 'open') return;
      open = null;
      forgetKept(storage);
      if (as === 'unsent') signed = 0n;
    },
  };
  return {
    amountSigned: () => signed,
    reserve(price, { amountTotalMax }) {
      if (signed + price > amountTotalMax) {
        const message = `the order has a payment of ${signed} units already`;
        return { ok: false, refusal: { reason: 'total_above_limit', message } };
      }
      signed += price;
      return { ok: true, entry };
    },
    take(fingerprint) {
      if (open === null || isInUse || open.fingerprint !== fingerprint) return null;
      isInUse = true;
      return { payment: open.payment, entry };
    },
  };
}
