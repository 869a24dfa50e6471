import { startWorker } from '../../relayer/worker.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Signal } from '../../types/signal.ts';
import type { Address } from '../../types/units.ts';
import { type CarryLimits, type CarryPorts, carry } from './carry.ts';
import { createSlots } from './slots.ts';

type FacilitatorLimits = CarryLimits & {
  /** Payments that the facilitator is asked about at once. */
  readonly settlementsMax: number;
  /** How long a relayer worker without work waits before it looks at the store again. */
  readonly idleMs: number;
  readonly leaseSeconds: number;
};

export type FacilitatorWorkerPorts = Omit<CarryPorts, 'limits' | 'slots' | 'stillHolds'> & {
  /** What stands for a relayer in the store. */
  readonly relayer: Address;
  /** This process. */
  readonly owner: string;
  readonly limits: FacilitatorLimits;
  /** Told when a payment was executed. */
  readonly work: Signal;
};

/** Payments that are claimed at once. */
const claimsMax = 32;

/**
 * Claims all executed payments and carries each to its end; only so many are asked about at once (D-164). All the while a
 * payment stays `executed`: what the facilitator sends is not ours to write down before, and to ask again after a crash is
 * safe.
 */
export function startFacilitatorWorker(ports: FacilitatorWorkerPorts): { readonly done: Promise<void> } {
  const { store, clock, relayer, limits, closing, owner, work, failing } = ports;
  const { leaseSeconds } = limits;
  const slots = createSlots(limits.settlementsMax, closing);
  const underWay = new Map<number, Promise<void>>();
  const worker = startWorker({
    ...ports,
    relayer,
    owner,
    leaseSeconds,
    messages: {
      takenOver: 'another process settles through the facilitator by now',
      failed: 'the facilitator worker stumbled; it starts from the store again',
    },
    step,
    onClosing: async () => {
      await Promise.all(underWay.values());
    },
  });
  return { done: worker.done };

  async function step(lease: RelayerLease): Promise<void> {
    const claimed = await store.claimExecuted(lease, claimsMax, clock.nowSeconds());
    for (const payment of claimed) start(payment);
    if (claimed.length === claimsMax) return;
    // Often enough to renew the lease, however long the settlements under way take.
    await work.wait(Math.min(limits.idleMs, (leaseSeconds * 1_000) / 3), closing);
  }

  /** One that is under way may be claimed again, where the lease was given up meanwhile: it is carried on as it is. */
  function start(payment: PaymentRecord): void {
    if (underWay.has(payment.id)) return;
    // The completion takes most of the memory that is held meanwhile, and settling does not need it.
    const light = { ...payment, answer: null, proof: null };
    const announce: FacilitatorWorkerPorts['announce'] = (id, settlement) => {
      if (settlement.state === 'settled') failing.settled(payment);
      ports.announce(id, settlement);
    };
    const done = carry(light, { ...ports, announce, slots, stillHolds: worker.isHolder });
    underWay.set(
      payment.id,
      done.finally(() => {
        underWay.delete(payment.id);
        failing.ended(payment);
      }),
    );
  }
}
