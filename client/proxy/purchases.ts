import type { Clock } from '../clock.ts';
import { keptMax, keptMsMax, leavingMsMax, purchasesMax } from './limits.ts';
import type { Order, Purchase } from './purchase.ts';

/** The purchases in progress, and those that are kept for tools that left. */
export type Purchases = {
  /**
   * The purchase of an equal request whose tool left, or that the tool sends again, or a new one. Null while too many
   * are in progress.
   */
  open(order: Order): Promise<Purchase | null>;
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
  /** Ends the waiting of requests for the end of an equal one. */
  let left = Promise.withResolvers<void>();

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

  function takeKept(key: string): Purchase | null {
    const one = [...kept].find((each) => each.key === key);
    if (one === undefined) return null;
    kept.delete(one);
    return one.purchase;
  }

  const findRunning = (key: string) => [...running].find((one) => one.key === key)?.purchase ?? null;

  /** Waits while an equal request is in progress, whose tool may be about to leave. */
  async function takeLeaving(key: string): Promise<Purchase | null> {
    const done = new AbortController();
    const late = clock.waitMs(leavingMsMax, AbortSignal.any([signal, done.signal])).then(() => null);
    try {
      for (let isLate = false; !isLate && findRunning(key) !== null; ) {
        isLate = (await Promise.race([left.promise, late])) === null;
        const purchase = takeKept(key);
        if (purchase !== null) return purchase;
      }
      return null;
    } finally {
      done.abort();
    }
  }

  return {
    async open(order) {
      const { key, isRetry } = order;
      const known = takeKept(key) ?? (isRetry ? findRunning(key) : await takeLeaving(key));
      const purchase = known ?? begin(order);
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
      left.resolve();
      left = Promise.withResolvers();
      const [oldest] = kept;
      if (kept.size > keptMax && oldest !== undefined) drop(oldest);
      void purchase.ended.then(async (isCompletion) => {
        if (isCompletion) await clock.waitMs(keptMsMax, signal);
        drop(one);
      });
    },
  };
}
