import { type Head, readHead } from '../../chain/chain-view.ts';
import { type HeadTimeLimits, headTimeIssue } from '../../chain/head-time.ts';
import type { RpcFault } from '../../chain/rpc.ts';
import type { Result } from '../../types/result.ts';
import { createSignal } from '../../types/signal.ts';
import { startAbandonedRelayers } from '../abandoned-relayers.ts';
import { startMaintenanceLoop } from '../maintenance-loop.ts';
import { createReceiptWatch } from '../receipt-watch.ts';
import type { AttributionPorts } from '../reconcile/attribution.ts';
import type { RefusedPorts } from '../reconcile/refused.ts';
import { createSettlementSubscribers, type SubscribersPorts } from '../settlement-subscribers.ts';
import type { Acceptance, Settler } from '../settler.ts';
import { createTokenWatch, type TokenWatchPorts } from '../token-watch.ts';
import type { X402Version } from './facilitator.ts';
import { type FacilitatorWorkerPorts, startFacilitatorWorker } from './facilitator-worker.ts';
import { createFailingPayers } from './failing-payers.ts';
import { createFacilitatorAttribution } from './handover.ts';
import { createVerifyWatch } from './verify-watch.ts';
import { createVersionChoice } from './version.ts';

export type FacilitatorSettlerOptions = Omit<
  FacilitatorWorkerPorts,
  | 'announce'
  | 'askAgainMs'
  | 'closing'
  | 'failing'
  | 'isOurs'
  | 'receipts'
  | 'version'
  | 'work'
  | 'tokenWatch'
> &
  Pick<RefusedPorts, 'readPayer'> &
  Pick<AttributionPorts, 'acceptThirdPartySenders'> &
  Pick<TokenWatchPorts, 'asset' | 'domainSeparator' | 'payTo'> &
  Pick<SubscribersPorts, 'settlementWaitMs' | 'storePollMs'> & {
    /** Null for the version that the facilitator offers. */
    readonly x402Version: X402Version | null;
    readonly headTime: HeadTimeLimits;
    /** Interval for finality, reorganisations and abandoned reservations. */
    readonly maintenanceMs: number;
    readonly completionKeepSeconds: number;
    readonly refusedCompletionKeepSeconds: number;
    readonly refusedCompletionBytesMax: number;
  };

/** Settles through a facilitator. Only the chain decides whether a payment settled (D-55). */
export function createFacilitatorSettler(options: FacilitatorSettlerOptions): Settler {
  const { facilitator, rpc, clock, log } = options;
  const closing = new AbortController();
  const work = createSignal();
  const version = createVersionChoice(facilitator, options.x402Version);
  const isOurs = createFacilitatorAttribution({ ...options, version });
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
  const ports = { ...reading, closing: closing.signal, work, tokenWatch };
  const failing = createFailingPayers({ ...options, holdSeconds: options.debtBlockSeconds });
  const verifying = createVerifyWatch({ clock, holdSeconds: options.debtBlockSeconds });
  const relayer = startFacilitatorWorker({ ...ports, version, failing });
  const maintenance = startMaintenanceLoop(ports);
  const abandoned = startAbandonedRelayers({ ...ports, own: [] });

  return {
    async verify(payment): Promise<Acceptance> {
      if (!failing.admits(payment.authorization.from)) return { kind: 'unavailable' };
      const spoken = await version.current();
      if (spoken === null) return { kind: 'unavailable' };
      const said = await facilitator.verify(spoken, payment);
      if (!said.ok) {
        verifying.failed(payment.authorization.from, said.fault);
        log.warn({ payment: payment.id }, `The facilitator did not verify a payment: ${said.fault}`);
        return { kind: 'unavailable' };
      }
      verifying.responded();
      if (said.value.isValid) return { kind: 'acceptable' };
      const { reason } = said.value;
      log.info({ payment: payment.id, reason }, 'The facilitator refuses a payment.');
      return { kind: 'refused', reason };
    },
    settle: waitFor,
    waiting,
    giveWay,
    follow,
    async healthIssue() {
      const [offer, head, stopped, hidden] = await Promise.all([
        version.healthIssue(),
        readHead(rpc),
        tokenWatch.healthIssue(),
        receipts.healthIssue(),
      ]);
      const unsold = sellsWithoutOffer() ? null : offer;
      return (
        headIssue(head) ?? unsold ?? verifying.healthIssue() ?? failing.healthIssue() ?? stopped ?? hidden
      );
    },
    async warning() {
      const offer = await version.healthIssue();
      return failing.warning() ?? verifying.warning() ?? (sellsWithoutOffer() ? offer : null);
    },
    /** The facilitator decides about each payment separately (D-56). */
    async saleIssue() {
      return headIssue(await readHead(rpc)) ?? (await receipts.healthIssue());
    },
    async close() {
      closing.abort();
      dismiss();
      await Promise.allSettled([relayer.done, maintenance.done, abandoned.done]);
    },
  };

  /** A sale needs `/supported` only for an unknown version. */
  function sellsWithoutOffer(): boolean {
    return version.known() !== null && verifying.hasWorked();
  }

  function headIssue(head: Result<Head, RpcFault>): string | null {
    if (!head.ok) return `the chain does not answer: ${head.fault.message}`;
    return headTimeIssue(head.value.seconds, clock, options.headTime);
  }
}
