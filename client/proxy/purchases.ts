import type { Clock } from '../clock.ts';
import { keptMax, keptMsMax, purchasesMax } from './limits.ts';
import type { Order, Purchase } from './purchase.ts';

/** The purchases in progress, and those that are kept for tools that left. */
export type Purchases = {
  /**
   * The purchase of an equal request whose tool left, or a new one. Null while too many are in progress.
   */
  open(order: Order): Purchase | null;
  /** The tool has the whole response. */
  deliver(purchase: Purchase): void;
  /** The tool left. The purchase is kept for an equal request (D-291). */
  leave(order: Order, purchase: Purchase): void;
};

type Kept = { readonly key: string; readonly purchase: Purchase };

export function createPurchases(
  start: (order: Order) => Purchase,
  {
    clock,
    signal,
    say,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly say: (line: string) => void },
): Purchases {
  const running = new Set<Purchase>();
  const kept = new Set<Kept>();

  function drop(one: Kept): void {
    if (kept.delete(one)) void one.purchase.ended.then(() => one.purchase.release('open'));
  }

  function begin(order: Order): Purchase | null {
    if (running.size >= purchasesMax) return null;
    const purchase = start(order);
    running.add(purchase);
    void purchase.ended.then(() => running.delete(purchase));
    return purchase;
  }

  return {
    open(order) {
      for (const one of kept) {
        if (one.key !== order.key) continue;
        kept.delete(one);
        one.purchase.isAwaited = true;
        return one.purchase;
      }
      return begin(order);
    },
    deliver: (purchase) => purchase.release('closed'),
    leave({ key, model }, purchase) {
      purchase.isAwaited = false;
      say(`the tool left before it had the completion of ${model}; an equal request gets it`);
      const one = { key, purchase };
      kept.add(one);
      const [oldest] = kept;
      if (kept.size > keptMax && oldest !== undefined) drop(oldest);
      void purchase.ended.then(async (isCompletion) => {
        if (isCompletion) await clock.waitMs(keptMsMax, signal);
        drop(one);
      });
    },
  };
}
