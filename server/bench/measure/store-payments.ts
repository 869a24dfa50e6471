import { createLog } from '../../observe/log.ts';
import { createDeliveries } from '../../request/deliveries.ts';
import type { OpenStore } from '../../store/store.ts';
import { createClaim, createReading, inclusionAt, transactionBy } from '../../testing/store/claims.ts';
import { systemClock } from '../../types/clock.ts';
import { createSignal } from '../../types/signal.ts';
import { type Address, unixSeconds } from '../../types/units.ts';

const completion = JSON.stringify({ content: 'x'.repeat(1_000) });
const leaseSeconds = 3_600;
const batchMax = 64;
const idleMs = 10;

/**
 * Makes the calls of whole payments, as requests and a relayer worker do, without a chain. Each of `atOnce`
 * loops waits until its payment is settled. Returns the number of payments a second.
 */
export async function payThrough(
  store: OpenStore,
  payers: readonly Address[],
  relayer: Address,
  atOnce: number,
  ms: number,
): Promise<{ readonly payments: number; readonly perSecond: number }> {
  const startedAt = systemClock.monotonicMs();
  const isOver = () => systemClock.monotonicMs() - startedAt >= ms;
  const work = createSignal();
  const closing = new AbortController();
  const settled = new Map<number, () => void>();
  const settling = settleAll();
  const deliveries = createDeliveries({ store, log: createLog('silent') });
  let payments = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!isOver()) await pay(payers[payments++ % payers.length] as Address);
    }),
  );
  const perSecond = (payments * 1_000) / (systemClock.monotonicMs() - startedAt);
  closing.abort();
  await settling;
  await deliveries.flush();
  return { payments, perSecond };

  async function pay(payer: Address): Promise<void> {
    const now = systemClock.nowSeconds();
    const leaseUntil = unixSeconds(now + leaseSeconds);
    const claim = createClaim(payer, 1n, { leaseUntil });
    const purchase = { hash: claim.authorization.nonce, isRetry: false };
    await store.lookUp(claim.asset, payer, claim.authorization.nonce, purchase);
    let reserved = await store.reserve(claim, null, now, purchase);
    if (reserved.kind === 'balance-unknown')
      reserved = await store.reserve(claim, createReading(1n << 60n, now, now), now, purchase);
    if (reserved.kind !== 'reserved') throw new Error(reserved.kind);
    const { id } = reserved.payment;
    await store.execute(id, completion, null);
    await new Promise<void>((resolve) => {
      settled.set(id, resolve);
      work.notify();
    });
    deliveries.note(id, purchase.hash);
  }

  async function settleAll(): Promise<void> {
    const now = systemClock.nowSeconds();
    const lease = await store.leaseRelayer(relayer, 'bench', unixSeconds(now + leaseSeconds), now);
    if (lease === null) throw new Error('another process has the lease');
    while (!closing.signal.aborted) {
      await store.openNonces(relayer);
      const ids = (await store.claimExecuted(lease, batchMax, now)).map(({ id }) => id);
      if (ids.length === 0) {
        await work.wait(idleMs, closing.signal);
        continue;
      }
      const transaction = transactionBy(relayer, await store.nextRelayerNonce(relayer));
      await store.submit(lease, ids, transaction);
      await store.settle(ids, inclusionAt(1, transaction.hash));
      for (const id of ids) settled.get(id)?.();
      await store.closeNonce(lease, transaction.relayerNonce);
    }
  }
}
