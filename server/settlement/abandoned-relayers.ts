import { createLeaseHolder } from '../relayer/lease-holder.ts';
import { StaleFence } from '../store/relayer-lease.ts';
import { pause } from '../types/signal.ts';
import type { Address } from '../types/units.ts';
import { concludeLost, type ReconcilePorts } from './reconcile/reconcile.ts';

export type AbandonedRelayersPorts = Omit<ReconcilePorts, 'stillHolds' | 'ownFailures'> & {
  /** The relayers of this process. Each has a worker of its own. */
  readonly own: readonly Address[];
  /** The name of this process. */
  readonly owner: string;
  readonly maintenanceMs: number;
  readonly limits: { readonly leaseSeconds: number };
};

/**
 * Concludes the payments of relayers that no gateway runs any more, because the operator changed or removed their
 * keys (D-222). Without it a charged payer would never get the completion.
 */
export function startAbandonedRelayers(ports: AbandonedRelayersPorts): { readonly done: Promise<void> } {
  const { store, log, own, maintenanceMs, closing } = ports;
  return { done: run() };

  async function run(): Promise<void> {
    while (!closing.aborted) {
      try {
        const others = (await store.submittedRelayers()).filter((relayer) => !own.includes(relayer));
        // In parallel: a payment that the node does not decide must not delay another relayer.
        await Promise.all(others.map((relayer) => concludeAbandoned(relayer, ports)));
      } catch (cause) {
        if (!(cause instanceof StaleFence))
          log.error(
            { err: cause },
            'The payments of an abandoned relayer could not be concluded. The next round follows.',
          );
      }
      await pause(maintenanceMs, closing);
    }
  }
}

/** Concludes the open nonces of a relayer, unless a running gateway holds its lease. */
async function concludeAbandoned(relayer: Address, ports: AbandonedRelayersPorts): Promise<void> {
  const { store, log, limits, closing } = ports;
  const { hold, release } = createLeaseHolder({ ...ports, relayer, leaseSeconds: limits.leaseSeconds });
  const lease = await hold();
  if (lease === null) return;
  const stillHolds = async () => {
    if ((await hold()) === null) throw new StaleFence(`the lease of relayer ${relayer} ran out`);
  };
  try {
    for (const { relayerNonce, payments } of await store.openNonces(relayer)) {
      log.warn(
        { relayer, nonce: relayerNonce, payments: payments.length },
        'No gateway has the key of a relayer with open payments. This gateway concludes them.',
      );
      // The token accepts an authorization once, so a new transaction is safe, even if the old one is mined later.
      await concludeLost(lease, payments, { ...ports, stillHolds, ownFailures: new Map() });
      if (closing.aborted) return;
      await store.closeNonce(lease, relayerNonce);
    }
  } finally {
    await release();
  }
}
