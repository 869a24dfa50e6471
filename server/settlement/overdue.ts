import { readChainTime, readHead } from '../chain/chain-view.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type ConcludePorts, concludeEach } from './conclude.ts';
import type { Finish } from './finish.ts';

/** Payments whose time is over by the chain's clock. */
export interface Overdue {
  /** Concludes them; what the chain has not spoken of is free again. */
  conclude(lease: RelayerLease, late: readonly PaymentRecord[]): Promise<void>;
  /**
   * Looks for them among executed payments that no relayer has claimed. A relayer that sends nothing calls it, because no
   * other relayer may be there to expire them. The others are free again at once; returns how many those are.
   */
  sweep(lease: RelayerLease, max: number): Promise<number>;
  /** Leaves those out whose time is over while their transaction waits: it would no longer move anything for them. */
  drop(payments: readonly PaymentRecord[]): Promise<readonly PaymentRecord[]>;
}

export function createOverdue(ports: ConcludePorts, finish: Finish): Overdue {
  const { rpc, store, clock } = ports;
  return { conclude, sweep, drop };

  async function conclude(lease: RelayerLease, late: readonly PaymentRecord[]): Promise<void> {
    if (late.length === 0) return;
    const { again, held, unknown } = await concludeEach(late, ports);
    await finish.releaseClaims(lease, [...again, ...held, ...unknown]);
  }

  async function sweep(lease: RelayerLease, max: number): Promise<number> {
    // The chain is asked first, so that nothing is held while it answers.
    const seconds = await readChainTime(rpc);
    if (!seconds.ok) return 0;
    const claimed = await store.claimExecuted(lease, max, clock.nowSeconds());
    const late = claimed.filter(({ authorization }) => authorization.validBefore <= seconds.value);
    const others = claimed.filter((payment) => !late.includes(payment));
    await finish.releaseClaims(lease, others);
    await conclude(lease, late);
    return others.length;
  }

  async function drop(payments: readonly PaymentRecord[]): Promise<readonly PaymentRecord[]> {
    const now = BigInt(clock.nowSeconds());
    if (!payments.some(({ authorization }) => authorization.validBefore <= now)) return payments;
    // By the chain's time and not by ours: until then the transaction may still pay.
    const head = await readHead(rpc);
    if (!head.ok) return payments;
    const overdue = payments.filter(({ authorization }) => authorization.validBefore <= head.value.seconds);
    const { again, held, unknown } = await concludeEach(overdue, ports);
    const left = new Set([...again, ...held, ...unknown]);
    return payments.filter((payment) => !overdue.includes(payment) || left.has(payment));
  }
}
