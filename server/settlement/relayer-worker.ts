import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeadTimeLimits } from '../chain/head-time.ts';
import { pinEndpoint } from '../chain/rpc.ts';
import type { FeeLimits } from '../relayer/fees.ts';
import { createGasBalance } from '../relayer/gas-balance.ts';
import { createLeaseHolder } from '../relayer/lease-holder.ts';
import {
  broadcast,
  findMined,
  hasGap,
  isNonceLost,
  type Relayer,
  replace,
  signCall,
} from '../relayer/nonce.ts';
import { type RelayerLease, StaleFence } from '../store/relayer-lease.ts';
import type { JournaledTransaction, OpenNonce, PaymentRecord } from '../store/store.ts';
import { pause, type Signal } from '../types/signal.ts';
import { markedCall, settlementCall } from './call.ts';
import type { ConcludePorts } from './conclude.ts';
import { createFinish, type FinishPorts, idsOf } from './finish.ts';
import { createOverdue } from './overdue.ts';
import type { TokenWatch } from './token-watch.ts';
import { readWorkerStart } from './worker-start.ts';

export type WorkerLimits = {
  /** Most payments in one transaction. */
  readonly batchMax: number;
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** How long a relayer worker gathers payments when the last transaction carried more than one. */
  readonly gatherMs: number;
  /** How long a relayer worker without work waits before it looks at the store again. */
  readonly idleMs: number;
  /** A transaction that is not mined is sent again this often, */
  readonly resendMs: number;
  /** and replaced by one with higher fees after so long. */
  readonly stuckMs: number;
  readonly leaseSeconds: number;
};

export type RelayerWorkerPorts = ConcludePorts & {
  readonly relayer: Relayer;
  /** This process. */
  readonly owner: string;
  readonly fees: FeeLimits;
  readonly headTime: HeadTimeLimits;
  readonly limits: WorkerLimits;
  /** Told when a payment was executed. */
  readonly work: Signal;
  readonly tokenWatch: TokenWatch;
  readonly ownFailures: FinishPorts['ownFailures'];
};

/** One relayer key at work. */
export interface RelayerWorker {
  /** Ends when the relayer worker is told to close; what is open then is in the store. */
  readonly done: Promise<void>;
  /** Why the relayer worker gets nowhere, for the operator; null when all is well. Asks the chain. */
  healthIssue(): Promise<string | null>;
}

const retryMs = 1_000;

/**
 * Carries executed payments to the chain, one transaction at a time: while one is under way the next gather, which is
 * all the batching there is. Every step is in the store before it is taken, so that a relayer worker can start from any of them.
 */
export function startRelayerWorker(ports: RelayerWorkerPorts): RelayerWorker {
  const { rpc, store, clock, log, relayer, limits, closing, owner } = ports;
  const { leaseSeconds } = limits;
  const { hold, stumble, release } = createLeaseHolder({
    store,
    clock,
    relayer: relayer.address,
    owner,
    leaseSeconds,
  });
  const finish = createFinish({ ...ports, stillHolds });
  const overdue = createOverdue(ports, finish);
  const gasBalance = createGasBalance(ports);
  let lacksEther = false;
  let lastBatch = 1;
  let batchMax = limits.batchMax;
  let blockedReason: string | null = null;
  return { done: run(), healthIssue: async () => (await gasBalance.healthIssue()) ?? blockedReason };

  async function run(): Promise<void> {
    while (!closing.aborted) {
      try {
        await workOnce();
      } catch (cause) {
        stumble();
        if (cause instanceof StaleFence)
          log.warn({ relayer: relayer.address }, 'another process took this relayer over');
        else
          log.error(
            { err: cause, relayer: relayer.address },
            'a relayer stumbled; it starts from the store again',
          );
        await pause(retryMs, closing);
      }
    }
    await release();
  }

  async function workOnce(): Promise<void> {
    const lease = await hold();
    if (lease === null) {
      blockedReason = null;
      return pause(retryMs, closing);
    }
    for (const open of await store.openNonces(relayer.address)) {
      if (!(await follow(lease, open))) return;
    }
    if (!(await gasBalance.hasGas())) {
      await leave(lease, []);
      return pause(limits.resendMs, closing);
    }
    if (lastBatch > 1) await pause(limits.gatherMs, closing);
    else await nextTurn();
    const stopped = await ports.tokenWatch.stopped();
    // Payments to these wait in the store until the token takes transfers again; nothing is sent for them.
    if (stopped.size > 0) await overdue.sweep(lease, limits.batchMax);
    const payments = await store.claimExecuted(lease, batchMax, clock.nowSeconds(), [...stopped]);
    if (payments.length > 0) return carry(lease, payments);
    if (stopped.size > 0) return ports.work.wait(limits.resendMs, closing);
    lastBatch = 1;
    // Nothing waits for this relayer, so what stood in the way of the last payment says nothing of the next.
    blockedReason = null;
    return ports.work.wait(limits.idleMs, closing);
  }

  async function stillHolds(): Promise<void> {
    if ((await hold()) === null) throw new StaleFence('the lease ran out');
  }

  /** Signs one transaction for all of them whose time it is, and follows it to its end. */
  async function carry(lease: RelayerLease, claimed: readonly PaymentRecord[]): Promise<void> {
    const askAgain = () => pause(limits.pollMsMax, closing);
    const start = await readWorkerStart({ ...ports, relayer: relayer.address, gasBalance, askAgain });
    if (!start.ok) {
      blockedReason = 'the chain does not answer';
      await finish.releaseClaims(lease, claimed);
      return pause(limits.pollMsMax, closing);
    }
    const { nonce, seconds, price, wei } = start.value;
    const late = claimed.filter(({ authorization }) => authorization.validBefore <= seconds);
    // The chain's clock may be behind ours: what it would refuse now is held until it would not.
    const early = claimed.filter(({ authorization }) => authorization.validAfter >= seconds);
    const payments = claimed.filter((payment) => !late.includes(payment) && !early.includes(payment));
    await finish.releaseClaims(lease, early);
    await overdue.conclude(lease, late);
    if (payments.length === 0) return pause(limits.pollMsMax, closing);
    const beyond = payments.splice(gasBalance.room(wei, price));
    if (beyond.length > 0) await leave(lease, beyond);
    if (payments.length === 0) return;
    lastBatch = payments.length;
    const transaction = signCall(relayer, nonce, markedCall(settlementCall(payments)), price);
    await store.submit(lease, idsOf(payments), transaction);
    await follow(lease, { relayerNonce: nonce, transactions: [transaction], payments });
  }

  /** Frees payments that this relayer has no ether for, and tells the other relayer workers of them. */
  async function leave(lease: RelayerLease, payments: readonly PaymentRecord[]): Promise<void> {
    await finish.releaseClaims(lease, payments);
    const waiting = await overdue.sweep(lease, limits.batchMax);
    if (waiting > 0) ports.work.notify();
  }

  /** Follows one nonce until a transaction of it is in a block, or the nonce is lost; whether it came so far. */
  async function follow(lease: RelayerLease, open: OpenNonce): Promise<boolean> {
    let { transactions, payments } = open;
    let pauseMs = limits.pollMs;
    let wasLost = false;
    let hadGap = false;
    let [sentAt, signedAt] = [clock.monotonicMs(), clock.monotonicMs()];
    await sendOrLeave();
    while (!closing.aborted) {
      // One endpoint may never hear of it: before it is sent again, another one is asked.
      const isResendDue = clock.monotonicMs() - sentAt >= limits.resendMs;
      const mined = await findMined(isResendDue ? pinEndpoint(rpc, 1) : rpc, transactions);
      if (mined.ok && mined.value !== null) {
        fitBatchMax(open.payments.length, mined.value.isReverted);
        await finish.mined(lease, payments, mined.value);
        return close(lease, open);
      }
      const isLost = await isNonceLost(pinEndpoint(rpc, wasLost ? 1 : 0), transactions);
      // Said twice, through two endpoints where there are two: a count from nowhere must not make a transaction forgotten that is still on its way.
      if (isLost && wasLost) {
        log.warn(
          { relayer: relayer.address, nonce: open.relayerNonce },
          'a relayer nonce was used by somebody else',
        );
        await finish.lost(lease, payments);
        return close(lease, open);
      }
      if (isLost) pauseMs = limits.pollMsMax;
      wasLost = isLost;
      payments = await overdue.drop(payments);
      if (isResendDue) {
        // A reorganisation may have opened a lower nonce again, and this one waits for it: that one goes first.
        const [lowest] = await store.openNonces(relayer.address);
        if (lowest && lowest.relayerNonce < open.relayerNonce) return false;
        const isGap = await hasGap(pinEndpoint(rpc, hadGap ? 1 : 0), relayer.address, open.relayerNonce);
        if (isGap && hadGap) return abandon(lease, open);
        hadGap = isGap;
        await sendOrLeave();
        sentAt = clock.monotonicMs();
      }
      if (clock.monotonicMs() - signedAt >= limits.stuckMs) {
        transactions = await bump(lease, transactions, payments);
        [sentAt, signedAt] = [clock.monotonicMs(), clock.monotonicMs()];
      }
      await stillHolds();
      await pause(pauseMs, closing);
      pauseMs = Math.min(pauseMs * 2, limits.pollMsMax);
    }
    return false;

    /** Two transactions may carry one payment, for the token takes it once: what no node takes need not wait for ether. */
    async function sendOrLeave(): Promise<void> {
      await send(transactions);
      if (!lacksEther) return;
      await leave(lease, payments);
      payments = [];
    }
  }

  /** A batch that the chain undid as a whole is tried again in halves; a payment that is alone needs no batch. */
  function fitBatchMax(carried: number, isReverted: boolean): void {
    if (isReverted && carried > 1) batchMax = Math.floor(carried / 2);
    else if (!isReverted) batchMax = Math.min(limits.batchMax, batchMax * 2);
  }

  /** The nonce is done with, unless the relayer worker was told to close before all that it carried was concluded. */
  async function close(lease: RelayerLease, { relayerNonce }: OpenNonce): Promise<boolean> {
    blockedReason = null;
    if (closing.aborted) return false;
    await store.closeNonce(lease, relayerNonce);
    return true;
  }

  /**
   * A count from nowhere that was believed, or a reorganisation, left a nonce before this one that nobody will send. The
   * payments go under the nonce that the chain waits for: to fill a gap one by one would cost gas for each, however wide.
   */
  async function abandon(lease: RelayerLease, { relayerNonce }: OpenNonce): Promise<boolean> {
    log.warn(
      { relayer: relayer.address, nonce: relayerNonce },
      'the chain waits for a lower relayer nonce that was never used; the payments start again from there',
    );
    blockedReason = null;
    await store.abandonNonce(lease, relayerNonce);
    return true;
  }

  async function send([newest]: readonly JournaledTransaction[]): Promise<void> {
    if (newest === undefined) return;
    const sent = await broadcast(rpc, newest);
    lacksEther = !sent.ok && /insufficient funds/i.test(sent.fault.message);
    blockedReason = sent.ok ? null : `the node does not take a settlement: ${sent.fault.message}`;
    if (!sent.ok)
      log.warn(
        { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
        'a settlement was not taken',
      );
  }

  async function bump(
    lease: RelayerLease,
    transactions: readonly JournaledTransaction[],
    payments: readonly PaymentRecord[],
  ): Promise<readonly JournaledTransaction[]> {
    const [newest] = transactions;
    // Where the ether is missing, a higher fee would only make more of it missing.
    if (lacksEther) return transactions;
    const replacement = newest && (await replace(relayer, newest, rpc, ports.fees));
    if (!replacement) return transactions;
    log.warn(
      { relayer: relayer.address, nonce: replacement.relayerNonce },
      'a settlement is stuck; its fee goes up',
    );
    await store.submit(lease, idsOf(payments), replacement);
    const all = [replacement, ...transactions];
    await send(all);
    return all;
  }
}
