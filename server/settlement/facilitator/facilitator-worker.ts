import { startWorker } from '../../relayer/worker.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Signal } from '../../types/signal.ts';
import type { Address } from '../../types/units.ts';
import { createClaims } from '../claim.ts';
import { type CarryLimits, type CarryPorts, carry } from './carry.ts';
import { createSlots } from './slots.ts';

type FacilitatorLimits = CarryLimits & {
  /** Most payments that are with the facilitator at once. */
  readonly settlementsMax: number;
  /** How long a relayer worker without work waits before it reads the store again. */
  readonly idleMs: number;
  readonly leaseSeconds: number;
};

export type FacilitatorWorkerPorts = Omit<CarryPorts, 'limits' | 'slots' | 'stillHolds'> & {
  /** The name of the facilitator's lease in the store. */
  readonly relayer: Address;
  /** The name of this process. */
  readonly owner: string;
  readonly limits: FacilitatorLimits;
  /** Notified when a payment was executed. */
  readonly work: Signal;
};

/** Most payments in one claim. */
const claimsMax = 32;

/**
 * Claims all executed payments and settles each. Only some are with the facilitator at once (D-164). A payment
 * stays `executed` meanwhile: the gateway cannot record a facilitator's transaction before it is sent, and a
 * second call after a crash is safe.
 */
export function startFacilitatorWorker(ports: FacilitatorWorkerPorts): { readonly done: Promise<void> } {
  const { relayer, limits, closing, owner, work, failing } = ports;
  const { leaseSeconds } = limits;
  const claim = createClaims({ ...ports, allMs: limits.confirmMs });
  const slots = createSlots(limits.settlementsMax, closing, ports.clock);
  const underWay = new Map<number, Promise<void>>();
  const worker = startWorker({
    ...ports,
    relayer,
    owner,
    leaseSeconds,
    messages: {
      takenOver: 'Another process has the lease of the facilitator now.',
      failed: 'A step of the facilitator worker failed. The worker continues from the store.',
    },
    step,
    onClosing: async () => {
      await Promise.all(underWay.values());
    },
  });
  return { done: worker.done };

  async function step(lease: RelayerLease): Promise<void> {
    const claimed = await claim(lease, { max: claimsMax });
    for (const payment of claimed) start(payment);
    if (claimed.length === claimsMax) return;
    // Renews the lease in time, however long the open settlements take.
    await work.wait(Math.min(limits.idleMs, (leaseSeconds * 1_000) / 3), closing);
  }

  /** A payment under way may be claimed again after a lost lease. Its settlement then goes on unchanged. */
  function start(payment: PaymentRecord): void {
    if (underWay.has(payment.id)) return;
    // Drops the completion, which uses most of the memory and is not needed to settle.
    const light = { ...payment, completion: null, proof: null };
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
