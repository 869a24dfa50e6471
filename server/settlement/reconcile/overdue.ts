import { readChainTime, readHead } from '../../chain/chain-view.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { type ChainPorts, openOf, reconcileEach, releaseClaims } from './reconcile.ts';

/** Concludes payments whose time is over by the chain's clock; those that the chain has not spoken of are free again. */
export async function concludeOverdue(
  lease: RelayerLease,
  late: readonly PaymentRecord[],
  ports: ChainPorts,
): Promise<void> {
  if (late.length === 0) return;
  const open = openOf(await reconcileEach(late, ports));
  await releaseClaims(lease, open, ports);
}

/**
 * Looks for such payments among executed ones that no relayer has claimed. A relayer that sends nothing calls it, because
 * there may be no other relayer to expire them. The other payments are free again at once; returns how many those are.
 */
export async function sweepOverdue(lease: RelayerLease, max: number, ports: ChainPorts): Promise<number> {
  const { rpc, store, clock } = ports;
  // The chain is asked first, so that nothing is held while it answers.
  const seconds = await readChainTime(rpc);
  if (!seconds.ok) return 0;
  const claimed = await store.claimExecuted(lease, max, clock.nowSeconds());
  const late = claimed.filter(({ authorization }) => authorization.validBefore <= seconds.value);
  const others = claimed.filter((payment) => !late.includes(payment));
  await releaseClaims(lease, others, ports);
  await concludeOverdue(lease, late, ports);
  return others.length;
}

/** Leaves those out whose time is over while their transaction waits: it would no longer move anything for them. */
export async function dropOverdue(
  payments: readonly PaymentRecord[],
  ports: ChainPorts,
): Promise<readonly PaymentRecord[]> {
  const now = BigInt(ports.clock.nowSeconds());
  if (!payments.some(({ authorization }) => authorization.validBefore <= now)) return payments;
  // By the chain's time and not by ours: until then the transaction may still pay.
  const head = await readHead(ports.rpc);
  if (!head.ok) return payments;
  const overdue = payments.filter(({ authorization }) => authorization.validBefore <= head.value.seconds);
  const left = new Set(openOf(await reconcileEach(overdue, ports)));
  return payments.filter((payment) => !overdue.includes(payment) || left.has(payment));
}
