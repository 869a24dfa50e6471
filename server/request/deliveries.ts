import { setTimeout as after } from 'node:timers/promises';
import type { Log } from '../observe/log.ts';
import type { PurchaseStore } from '../store/purchase.ts';

/**
 * Tells the store which completions were delivered. It writes them in groups, after their responses, so a crash or
 * an outage may lose a group. Then a new purchase joins the delivered one, which costs its payer nothing (D-259).
 */
export interface Deliveries {
  /** Notes that a response with the completion of a payment was sent. */
  note(paymentId: number, purchase: string): void;
  /** Resolves when the deliveries of a purchase by this process are written. */
  written(purchase: string): Promise<void>;
  /** Writes everything that was noted. Never rejects. */
  flush(): Promise<void>;
}

type DeliveryPorts = { readonly store: Pick<PurchaseStore, 'recordDeliveries'>; readonly log: Log };

/** How long deliveries gather. */
const gatherMs = 100;
/** The most deliveries that are not written yet. Further ones are dropped. */
const waitingMax = 10_000;

export function createDeliveries({ store, log }: DeliveryPorts): Deliveries {
  /** The purchases of payments that were delivered and are not written, by payment id. */
  const waiting = new Map<number, string>();
  let isGathering = false;
  let writing = Promise.resolve();
  return {
    note(paymentId, purchase) {
      if (waiting.size < waitingMax) waiting.set(paymentId, purchase);
      if (!isGathering) void gather();
    },
    async written(purchase) {
      for (const noted of waiting.values()) if (noted === purchase) return flush();
    },
    flush,
  };

  async function gather(): Promise<void> {
    isGathering = true;
    await after(gatherMs, undefined, { ref: false });
    isGathering = false;
    await flush();
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  /** Takes what waits when it runs: after a slow write, the next one takes everything. */
  async function write(): Promise<void> {
    const ids = [...waiting.keys()];
    if (ids.length === 0) return;
    try {
      await store.recordDeliveries(ids);
    } catch (cause) {
      log.warn({ err: cause, deliveries: ids.length }, 'deliveries were not stored; a repetition is free');
    }
    for (const id of ids) waiting.delete(id);
  }
}
