import { readChainTime, readHead } from '../../chain/chain-view.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { afterEveryBegin } from '../claim.ts';
import { type ChainPorts, listOpen, reconcileEach, releaseClaims } from './reconcile.ts';

/**
 * Concludes payments that have expired by the chain's clock. Those without a decision become free again; returns their
 * number.
 */
export async function concludeOverdue(
  lease: RelayerLease,
  late: readonly PaymentRecord[],
  ports: ChainPorts,
): Promise<number> {
  if (late.length === 0) return 0;
  const open = listOpen(await reconcileEach(late, ports));
  await releaseClaims(lease, open, ports);
  return open.length;
}

/**
 * Finds expired payments among executed ones that no relayer has claimed. A relayer that sends nothing calls
 * it, because no other relayer may expire them. Frees the other payments at once, and returns their number.
 */
export async function sweepOverdue(lease: RelayerLease, max: number, ports: ChainPorts): Promise<number> {
  const { rpc, store } = ports;
  // The chain is read first, so that no payment is claimed meanwhile.
  const seconds = await readChainTime(rpc);
  if (!seconds.ok) return 0;
  const claimed = await store.claimExecuted(lease, max, afterEveryBegin);
  const late = claimed.filter(({ authorization }) => authorization.validBefore <= seconds.value);
  const others = claimed.filter((payment) => !late.includes(payment));
  await releaseClaims(lease, others, ports);
  await concludeOverdue(lease, late, ports);
  return others.length;
}

/** Leaves out payments that expire while their transaction waits, since it can no longer move their tokens. */
export async function dropOverdue(
  payments: readonly PaymentRecord[],
  ports: ChainPorts,
): Promise<readonly PaymentRecord[]> {
  const now = BigInt(ports.clock.nowSeconds());
  if (!payments.some(({ authorization }) => authorization.validBefore <= now)) return payments;
  // Uses the chain's time, not ours: until then the transaction may still pay.
  const head = await readHead(ports.rpc);
  if (!head.ok) return payments;
  const overdue = payments.filter(({ authorization }) => authorization.validBefore <= head.value.seconds);
  const left = new Set(listOpen(await reconcileEach(overdue, ports)));
  return payments.filter((payment) => !overdue.includes(payment) || left.has(payment));
}
