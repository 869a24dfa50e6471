import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeadTimeLimits } from '../chain/head-time.ts';
import { pinEndpoint } from '../chain/rpc.ts';
import type { FeeLimits } from '../relayer/fees.ts';
import { type FollowLimits, followNonce } from '../relayer/follow.ts';
import { createGasBalance, type GasBalance } from '../relayer/gas-balance.ts';
import { broadcast, hasGap, type Relayer, replace, signCall } from '../relayer/nonce.ts';
import { startWorker } from '../relayer/worker.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { JournaledTransaction, OpenNonce, PaymentRecord } from '../store/store.ts';
import { pause, type Signal } from '../types/signal.ts';
import { unixSeconds } from '../types/units.ts';
import { markedCall, settlementCall } from './call.ts';
import { concludeOverdue, dropOverdue, sweepOverdue } from './reconcile/overdue.ts';
import {
  concludeLost,
  concludeMined,
  idsOf,
  type ReconcilePorts,
  releaseClaims,
} from './reconcile/reconcile.ts';
import type { TokenWatch } from './token-watch.ts';
import { readWorkerStart } from './worker-start.ts';

export type BatchLimits = FollowLimits & {
  /** Most payments in one transaction. */
  readonly batchMax: number;
  /** How long a relayer worker gathers payments when the last transaction carried more than one. */
  readonly gatherMs: number;
  /** How long a relayer worker without work waits before it reads the store again. */
  readonly idleMs: number;
  readonly leaseSeconds: number;
};

export type RelayerWorkerPorts = Omit<ReconcilePorts, 'stillHolds'> & {
  readonly relayer: Relayer;
  /** This process. */
  readonly owner: string;
  readonly fees: FeeLimits;
  readonly headTime: HeadTimeLimits;
  readonly limits: BatchLimits;
  /** Told when a payment was executed. */
  readonly work: Signal;
  readonly tokenWatch: TokenWatch;
};

/** One relayer key at work. */
export interface RelayerWorker {
  /** Resolves when the relayer worker was told to close. Open work is in the store. */
  readonly done: Promise<void>;
  /** Why the relayer worker gets nowhere, for the operator; null when all is well. Asks the chain. */
  healthIssue(): Promise<string | null>;
}

/** The state that one step leaves to the next. */
type State = {
  /** The node took no transaction for lack of ether. */
  lacksEther: boolean;
  /** Payments in the last transaction. */
  lastBatch: number;
  /** Most payments in the next one. */
  batchMax: number;
  blockedReason: string | null;
  /** The transaction under way is not mined though its fees went up (D-194). */
  stuckReason: string | null;
  /** How far the chain's clock was behind ours when a payment was too early for it. */
  chainLagSeconds: number;
};

type Ports = RelayerWorkerPorts & ReconcilePorts & { readonly gasBalance: GasBalance; readonly state: State };

/**
 * Carries executed payments to the chain, one transaction at a time. While one is under way the next payments gather: there
 * is no other batching. Every step is in the store before it is taken, so a relayer worker can start from any of them.
 */
export function startRelayerWorker(options: RelayerWorkerPorts): RelayerWorker {
  const { relayer, limits } = options;
  const state: State = {
    lacksEther: false,
    lastBatch: 1,
    batchMax: limits.batchMax,
    blockedReason: null,
    stuckReason: null,
    chainLagSeconds: 0,
  };
  const gasBalance = createGasBalance(options);
  const worker = startWorker({
    ...options,
    relayer: relayer.address,
    leaseSeconds: limits.leaseSeconds,
    messages: {
      takenOver: 'another process took this relayer over',
      failed: 'a relayer stumbled; it starts from the store again',
    },
    step: (lease) => settleOnce(lease, ports),
    onOtherHolder: () => {
      state.blockedReason = null;
    },
  });
  const ports: Ports = { ...options, stillHolds: worker.stillHolds, gasBalance, state };
  return {
    done: worker.done,
    healthIssue: async () => (await gasBalance.healthIssue()) ?? state.blockedReason ?? state.stuckReason,
  };
}

/** One step: ends what is open, then settles the payments that wait. */
async function settleOnce(lease: RelayerLease, ports: Ports): Promise<void> {
  const { store, clock, relayer, limits, closing, state } = ports;
  for (const open of await store.openNonces(relayer.address)) {
    if (!(await follow(lease, open, ports))) return;
  }
  if (!(await ports.gasBalance.hasGas())) {
    await leave(lease, [], ports);
    return pause(limits.resendMs, closing);
  }
  if (state.lastBatch > 1) await pause(limits.gatherMs, closing);
  else await nextTurn();
  const stopped = await ports.tokenWatch.stopped();
  // Payments to these wait in the store until the token takes transfers again; nothing is sent for them.
  if (stopped.size > 0) await sweepOverdue(lease, limits.batchMax, ports);
  // By the chain's clock: payments that are too early for it must not take the places of others.
  const chainSeconds = unixSeconds(Math.max(0, clock.nowSeconds() - state.chainLagSeconds));
  const payments = await store.claimExecuted(lease, state.batchMax, chainSeconds, [...stopped]);
  state.chainLagSeconds = 0;
  if (payments.length > 0) return carry(lease, payments, ports);
  if (stopped.size > 0) return ports.work.wait(limits.resendMs, closing);
  state.lastBatch = 1;
  // No payment waits for this relayer, so the obstacle to the last one says nothing of the next.
  state.blockedReason = null;
  return ports.work.wait(limits.idleMs, closing);
}

/** Signs one transaction for all payments whose time it is, and follows it to its end. */
async function carry(lease: RelayerLease, claimed: readonly PaymentRecord[], ports: Ports): Promise<void> {
  const { store, relayer, limits, closing, gasBalance, state } = ports;
  const askAgain = () => pause(limits.pollMsMax, closing);
  const start = await readWorkerStart({ ...ports, relayer: relayer.address, gasBalance, askAgain });
  if (!start.ok) {
    state.blockedReason = 'the chain does not answer';
    await releaseClaims(lease, claimed, ports);
    return pause(limits.pollMsMax, closing);
  }
  const { nonce, seconds, price, wei } = start.value;
  const late = claimed.filter(({ authorization }) => authorization.validBefore <= seconds);
  // The chain's clock may be behind ours: a payment that it would refuse now is held until it would not.
  const early = claimed.filter(({ authorization }) => authorization.validAfter >= seconds);
  const payments = claimed.filter((payment) => !late.includes(payment) && !early.includes(payment));
  if (early.length > 0) state.chainLagSeconds = Math.max(0, ports.clock.nowSeconds() - Number(seconds));
  await releaseClaims(lease, early, ports);
  await concludeOverdue(lease, late, ports);
  if (payments.length === 0) return pause(limits.pollMsMax, closing);
  const beyond = payments.splice(gasBalance.room(wei, price));
  if (beyond.length > 0) await leave(lease, beyond, ports);
  if (payments.length === 0) return;
  state.lastBatch = payments.length;
  const transaction = signCall(relayer, nonce, markedCall(settlementCall(payments)), price);
  await store.submit(lease, idsOf(payments), transaction);
  await follow(lease, { relayerNonce: nonce, transactions: [transaction], payments }, ports);
}

/** Frees payments that this relayer has no ether for, and tells the other relayer workers of them. */
async function leave(lease: RelayerLease, payments: readonly PaymentRecord[], ports: Ports): Promise<void> {
  await releaseClaims(lease, payments, ports);
  const waiting = await sweepOverdue(lease, ports.limits.batchMax, ports);
  if (waiting > 0) ports.work.notify();
}

/** Follows one nonce until one of its transactions is in a block, or the nonce is lost; whether it came so far. */
async function follow(lease: RelayerLease, open: OpenNonce, ports: Ports): Promise<boolean> {
  const { rpc, store, relayer, log, state } = ports;
  let { payments } = open;
  let hadGap = false;
  let isAbandoned = false;
  const isTaken = (transaction: JournaledTransaction) => send(transaction, ports);
  const [newest] = open.transactions;
  // Without payments a transaction would only cost gas, or charge payers whose payments are elsewhere by now.
  if (newest === undefined || payments.length === 0) return abandon(lease, open, ports);
  if (!(await isTaken(newest))) return giveAway(lease, open, payments, ports);
  state.stuckReason = null;
  const followed = await followNonce(open.transactions, {
    ...ports,
    send: isTaken,
    replace: (last) => bump(lease, last, payments, ports),
    isWorthWaiting: async () => {
      payments = await dropOverdue(payments, ports);
      return payments.length > 0;
    },
    mayResend: async () => {
      // A reorganisation may have opened a lower nonce again, and this one waits for it: that one goes first.
      const [lowest] = await store.openNonces(relayer.address);
      if (lowest && lowest.relayerNonce < open.relayerNonce) return false;
      const isGap = await hasGap(pinEndpoint(rpc, hadGap ? 1 : 0), relayer.address, open.relayerNonce);
      isAbandoned = isGap && hadGap;
      hadGap = isGap;
      return !isAbandoned;
    },
  });
  state.stuckReason = null;
  if (isAbandoned) {
    log.warn(
      { relayer: relayer.address, nonce: open.relayerNonce },
      'the chain waits for a lower relayer nonce that was never used; the payments start again from there',
    );
    return abandon(lease, open, ports);
  }
  if (followed.kind === 'stopped') {
    if (payments.length === 0) return abandon(lease, open, ports);
    return state.lacksEther ? giveAway(lease, open, payments, ports) : false;
  }
  if (followed.kind === 'mined') {
    fitBatchMax(open.payments.length, followed.mined.isReverted, ports);
    await concludeMined(lease, payments, followed.mined, ports);
  } else {
    log.warn(
      { relayer: relayer.address, nonce: open.relayerNonce },
      'a relayer nonce was used by somebody else',
    );
    await concludeLost(lease, payments, ports);
  }
  return close(lease, open, ports);
}

/**
 * Frees the payments of a transaction that no node takes for lack of ether, and forgets the nonce (D-191). The transaction is
 * never sent again: another relayer may carry its payments meanwhile. The next one is signed anew, for the payments of then.
 */
async function giveAway(
  lease: RelayerLease,
  open: OpenNonce,
  payments: readonly PaymentRecord[],
  ports: Ports,
): Promise<boolean> {
  const { limits, closing, state, store } = ports;
  state.lacksEther = false;
  await leave(lease, payments, ports);
  await store.abandonNonce(lease, open.relayerNonce);
  await pause(limits.resendMs, closing);
  return false;
}

/** A batch that the chain undid as a whole is tried again in halves; a payment that is alone needs no batch. */
function fitBatchMax(carried: number, isReverted: boolean, { limits, state }: Ports): void {
  if (isReverted && carried > 1) state.batchMax = Math.floor(carried / 2);
  else if (!isReverted) state.batchMax = Math.min(limits.batchMax, state.batchMax * 2);
}

/** Closes the nonce, unless the relayer worker was told to close before all of its payments were concluded. */
async function close(lease: RelayerLease, { relayerNonce }: OpenNonce, ports: Ports): Promise<boolean> {
  ports.state.blockedReason = null;
  if (ports.closing.aborted) return false;
  await ports.store.closeNonce(lease, relayerNonce);
  return true;
}

/**
 * Forgets a nonce that its transactions will not be mined under, after a count from nowhere, a reorganisation, or for want of
 * payments. Its payments go under the nonce that the chain waits for: to fill a gap one by one would cost gas for each.
 */
async function abandon(lease: RelayerLease, { relayerNonce }: OpenNonce, ports: Ports): Promise<boolean> {
  ports.state.blockedReason = null;
  await ports.store.abandonNonce(lease, relayerNonce);
  return true;
}

/** Whether the transaction may be followed: false where no node takes it for lack of ether. */
async function send(newest: JournaledTransaction, { rpc, relayer, log, state }: Ports): Promise<boolean> {
  const sent = await broadcast(rpc, newest);
  state.lacksEther = !sent.ok && /insufficient funds/i.test(sent.fault.message);
  state.blockedReason = sent.ok ? null : `the node does not take a settlement: ${sent.fault.message}`;
  if (!sent.ok)
    log.warn(
      { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
      'a settlement was not taken',
    );
  return !state.lacksEther;
}

/** Signs the nonce anew at higher fees, for the payments that are left: each must be recorded with what may charge it (D-191). */
async function bump(
  lease: RelayerLease,
  newest: JournaledTransaction,
  payments: readonly PaymentRecord[],
  ports: Ports,
): Promise<JournaledTransaction | null> {
  const { rpc, store, relayer, fees, log } = ports;
  if (payments.length === 0) return null;
  const replacement = await replace(relayer, newest, rpc, fees, markedCall(settlementCall(payments)));
  if (!replacement) return null;
  log.warn(
    { relayer: relayer.address, nonce: replacement.relayerNonce },
    'a settlement is stuck; its fee goes up',
  );
  await store.submit(lease, idsOf(payments), replacement);
  await send(replacement, ports);
  ports.state.stuckReason = `settlements are not mined: the transaction with nonce ${replacement.relayerNonce} of relayer ${relayer.address} was replaced by one with higher fees. Check the chain and its fees`;
  return replacement;
}
