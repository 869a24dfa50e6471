import { type PaymentRecord, StaleFence } from '../../store/store.ts';
import type { Address } from '../../vocabulary/units.ts';
import { createLaneHold } from '../lane-hold.ts';
import { pause, type Signal } from '../signal.ts';
import { type CarryLimits, type CarryPorts, carry } from './carry.ts';

export type FacilitatorLimits = CarryLimits & {
  /** Payments that the facilitator is asked about at once. */
  readonly settlementsMax: number;
  /** How long a lane without work waits before it looks at the ledger again. */
  readonly idleMs: number;
  readonly leaseSeconds: number;
};

export type FacilitatorLanePorts = Omit<CarryPorts, 'limits' | 'stillHolds'> & {
  /** What stands for a relayer in the ledger. */
  readonly lane: Address;
  /** This process. */
  readonly owner: string;
  readonly limits: FacilitatorLimits;
  /** Told when a payment was executed. */
  readonly work: Signal;
};

const retryMs = 1_000;

/**
 * Claims executed payments and carries each to its end, several at once. While a payment is asked about it stays
 * `executed`: what the facilitator sends is not ours to write down before, and to ask again after a crash is safe.
 */
export function startFacilitatorLane(ports: FacilitatorLanePorts): { readonly done: Promise<void> } {
  const { store, clock, log, lane, limits, closing, owner, work } = ports;
  const { leaseSeconds } = limits;
  const { hold, stumble, release } = createLaneHold({ store, clock, lane, owner, leaseSeconds });
  const underWay = new Map<number, Promise<void>>();
  return { done: run() };

  async function run(): Promise<void> {
    while (!closing.aborted) {
      try {
        await workOnce();
      } catch (cause) {
        stumble();
        if (cause instanceof StaleFence)
          log.warn({ lane }, 'another process settles through the facilitator by now');
        else
          log.error({ err: cause, lane }, 'the facilitator lane stumbled; it starts from the ledger again');
        await pause(retryMs, closing);
      }
    }
    await Promise.all(underWay.values());
    await release();
  }

  async function workOnce(): Promise<void> {
    const lease = await hold();
    if (lease === null) return pause(retryMs, closing);
    const room = limits.settlementsMax - underWay.size;
    const claimed = room > 0 ? await store.claimExecuted(lease, room, clock.nowSeconds()) : [];
    for (const payment of claimed) start(payment);
    // Often enough to renew the lease, however long the settlements under way take.
    await work.wait(Math.min(limits.idleMs, (leaseSeconds * 1_000) / 3), closing);
  }

  /** One that is under way may be claimed again, where the lease was given up meanwhile: it is carried on as it is. */
  function start(payment: PaymentRecord): void {
    if (underWay.has(payment.id)) return;
    const done = carry(payment, { ...ports, stillHolds: async () => (await hold()) !== null });
    underWay.set(
      payment.id,
      done.finally(() => {
        underWay.delete(payment.id);
        // There is room for another.
        work.notify();
      }),
    );
  }
}
