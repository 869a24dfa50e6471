import type { Relayer } from '../relayer/nonce.ts';
import { createSignal } from '../types/signal.ts';
import { startAbandonedRelayers } from './abandoned-relayers.ts';
import { startMaintenanceLoop } from './maintenance-loop.ts';
import { createReceiptWatch } from './receipt-watch.ts';
import { type AttributionPorts, createAttribution } from './reconcile/attribution.ts';
import type { RefusedPorts } from './reconcile/refused.ts';
import { startRelayerWorker } from './settle-batches.ts';
import { createSettlementSubscribers, type SubscribersPorts } from './settlement-subscribers.ts';
import type { Settler } from './settler.ts';
import { createTokenWatch, type TokenWatchPorts } from './token-watch.ts';
import type { RelayerWorkerPorts } from './worker-state.ts';

export type BatchSettlerOptions = Omit<
  RelayerWorkerPorts,
  | 'announce'
  | 'askAgainMs'
  | 'closing'
  | 'isOurs'
  | 'receipts'
  | 'relayer'
  | 'work'
  | 'tokenWatch'
  | 'ownFailures'
> &
  Pick<RefusedPorts, 'token' | 'checkTransfer' | 'readPayer'> &
  Pick<AttributionPorts, 'acceptThirdPartySenders'> &
  Pick<TokenWatchPorts, 'asset' | 'domainSeparator' | 'payTo'> &
  Pick<SubscribersPorts, 'settlementWaitMs' | 'storePollMs'> & {
    /** One relayer worker for each key. */
    readonly relayers: readonly Relayer[];
    /** Interval for finality, reorganisations and abandoned reservations. */
    readonly maintenanceMs: number;
    readonly completionKeepSeconds: number;
    readonly refusedCompletionKeepSeconds: number;
    readonly refusedCompletionBytesMax: number;
  };

/** Settles on the chain with relayer keys of our own. Payments that wait together share one transaction. */
export function createBatchSettler(options: BatchSettlerOptions): Settler {
  const closing = new AbortController();
  const work = createSignal();
  const isOurs = createAttribution(options);
  const receipts = createReceiptWatch(options);
  const { waitFor, announce, dismiss, waiting, giveWay, follow } = createSettlementSubscribers({
    ...options,
    isOurs,
    receipts,
    work,
    closing: closing.signal,
  });
  const askAgainMs = options.limits.pollMsMax;
  const tokenWatch = createTokenWatch(options);
  const reading = { ...options, isOurs, receipts, announce, askAgainMs };
  const ports = { ...reading, closing: closing.signal, tokenWatch };
  const ownFailures = new Map<number, number>();
  const workers = options.relayers.map((relayer) =>
    startRelayerWorker({ ...ports, relayer, work, ownFailures }),
  );
  const maintenance = startMaintenanceLoop({ ...ports, work });
  const own = options.relayers.map(({ address }) => address);
  const abandoned = startAbandonedRelayers({ ...ports, own, work });

  return {
    // The gateway's own checks and its reading of the chain cover everything that the token checks.
    verify: () => Promise.resolve({ kind: 'acceptable' }),
    settle: waitFor,
    waiting,
    giveWay,
    follow,
    /** One healthy relayer worker is enough, because it settles the payments of the others. */
    async healthIssue() {
      const [healthIssues, stopped, hidden] = await Promise.all([
        probeWorkers(),
        tokenWatch.healthIssue(),
        receipts.healthIssue(),
      ]);
      return healthIssues.length < workers.length ? (stopped ?? hidden) : together(healthIssues);
    },
    async warning() {
      const healthIssues = await probeWorkers();
      return healthIssues.length < workers.length ? together(healthIssues) : null;
    },
    async close() {
      closing.abort();
      dismiss();
      await Promise.allSettled([...workers.map(({ done }) => done), maintenance.done, abandoned.done]);
    },
  };

  async function probeWorkers(): Promise<readonly string[]> {
    const issues = await Promise.all(workers.map((worker) => worker.healthIssue()));
    return issues.filter((healthIssue) => healthIssue !== null);
  }
}

function together(healthIssues: readonly string[]): string | null {
  return [...new Set(healthIssues)].join('; ') || null;
}
