import type { Clock } from '../clock.ts';
import { keptMax, keptMsMax, purchasesMax } from './limits.ts';
import type { Order, Purchase } from './purchase.ts';

/** The purchases in progress, and those that are kept for tools that left. */
export type Purchases = {
  /**
   * The purchase of an equal request whose tool left, or that the tool sends again, or a new one. Null while too many
   * are in progress.
   */
  open(order: Order): Purchase | null;
  /** The tool has the whole response. */
  deliver(purchase: Purchase): void;
  /** The tool left. The purchase is kept for an equal request (D-291). */
  leave(order: Order, purchase: Purchase): void;
};

type Known = { readonly key: string; readonly purchase: Purchase };

export function createPurchases(
  start: (order: Order) => Purchase,
  {
    clock,
    signal,
    say,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly say: (line: string) => void },
): Purchases {
  const running = new Set<Known>();
  const kept = new Set<Known>();

  function drop(one: Known): void {
    if (kept.delete(one)) void one.purchase.ended.then(() => one.purchase.release('open'));
  }

  function begin(order: Order): Purchase | null {
    if (running.size >= purchasesMax) return null;
    const one = { key: order.key, purchase: start(order) };
    running.add(one);
    void one.purchase.ended.then(() => running.delete(one));
    return one.purchase;
  }

  function find({ key, isRetry }: Order): Purchase | null {
    const left = [...kept].find((one) => one.key === key);
    if (left !== undefined) {
      kept.delete(left);
      return left.purchase;
    }
    // A tool can send its request again before the proxy notices the end of its first connection.
    return isRetry ? ([...running].find((one) => one.key === key)?.purchase ?? null) : null;
  }

  return {
    open(order) {
      const purchase = find(order) ?? begin(order);
      if (purchase !== null) purchase.readers += 1;
      return purchase;
    },
    deliver(purchase) {
      purchase.readers -= 1;
      purchase.isDelivered = true;
      purchase.release('closed');
    },
    leave({ key, model }, purchase) {
      purchase.readers -= 1;
      if (purchase.readers > 0 || purchase.isDelivered) return;
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
