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
import { adjustBatchMax } from './batch-size.ts';
import { markedCall, settlementCall } from './call.ts';
import { concludeOverdue, dropOverdue, sweepOverdue } from './reconcile/overdue.ts';
import {
  concludeLost,
  concludeMined,
  listIds,
  type ReconcilePorts,
  releaseClaims,
} from './reconcile/reconcile.ts';
import { reportLost } from './report-lost.ts';
import type { TokenWatch } from './token-watch.ts';
import { readWorkerStart } from './worker-start.ts';

export type BatchLimits = FollowLimits & {
  /** Most payments in one transaction. */
  readonly batchMax: number;
  /** How long a relayer worker gathers payments after a transaction with more than one. */
  readonly gatherMs: number;
  /** How long a relayer worker without work waits before it reads the store again. */
  readonly idleMs: number;
  readonly leaseSeconds: number;
};

export type RelayerWorkerPorts = Omit<ReconcilePorts, 'stillHolds'> & {
  readonly relayer: Relayer;
  /** The name of this process. */
  readonly owner: string;
  readonly fees: FeeLimits;
  readonly headTime: HeadTimeLimits;
  readonly limits: BatchLimits;
  /** Notified when a payment was executed. */
  readonly work: Signal;
  readonly tokenWatch: TokenWatch;
};

/** The worker of one relayer key. */
export interface RelayerWorker {
  /** Resolves when the relayer worker has closed. The store holds open work. */
  readonly done: Promise<void>;
  /** Reads the chain, and returns why the relayer worker cannot settle, for the operator; else null. */
  healthIssue(): Promise<string | null>;
}

/** The state that a step passes to the next. */
type State = {
  /** The node rejected a transaction for lack of ether. */
  lacksEther: boolean;
  /** Number of payments in the last transaction. */
  lastBatch: number;
  /** Most payments in the next transaction. */
  batchMax: number;
  blockedReason: string | null;
  /** The open transaction is not mined although its fees went up (D-194). */
  stuckReason: string | null;
  /** How far the chain's clock was behind ours when a payment was too early for the chain. */
  chainLagSeconds: number;
};

type Ports = RelayerWorkerPorts & ReconcilePorts & { readonly gasBalance: GasBalance; readonly state: State };

/**
 * Settles executed payments, one transaction at a time. Payments gather while a transaction is open; there is
 * no other batching. The store records every step first, so a relayer worker can continue after any step.
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
      takenOver: 'Another process has the lease of this relayer now.',
      failed: 'A step of a relayer worker failed. The worker continues from the store.',
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

/** One step: follows the open nonces, then settles the payments that wait. */
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
  // Payments to stopped recipients wait in the store, unsent, until the token takes transfers again.
  if (stopped.size > 0) await sweepOverdue(lease, limits.batchMax, ports);
  // Uses the chain's clock: payments that are too early for the chain must not take the places of others.
  const chainSeconds = unixSeconds(Math.max(0, clock.nowSeconds() - state.chainLagSeconds));
  const payments = await store.claimExecuted(lease, state.batchMax, chainSeconds, [...stopped]);
  state.chainLagSeconds = 0;
  if (payments.length > 0) return carry(lease, payments, ports);
  if (stopped.size > 0) return ports.work.wait(limits.resendMs, closing);
  state.lastBatch = 1;
  // No payment waits for this relayer, so the last obstacle says nothing about the next payment.
  state.blockedReason = null;
  return ports.work.wait(limits.idleMs, closing);
}

/** Signs one transaction for all payments whose window is open, and follows it to its end. */
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
  // The chain's clock may be behind ours. A payment that the chain would reject now waits.
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
  await store.submit(lease, listIds(payments), transaction);
  await follow(lease, { relayerNonce: nonce, transactions: [transaction], payments }, ports);
}

/** Frees payments that this relayer has no ether for, and notifies the other relayer workers. */
async function leave(lease: RelayerLease, payments: readonly PaymentRecord[], ports: Ports): Promise<void> {
  await releaseClaims(lease, payments, ports);
  const waiting = await sweepOverdue(lease, ports.limits.batchMax, ports);
  if (waiting > 0) ports.work.notify();
}

/** Follows a nonce. Returns true when one of its transactions is in a block, or the nonce is lost or dropped. */
async function follow(lease: RelayerLease, open: OpenNonce, ports: Ports): Promise<boolean> {
  const { rpc, store, relayer, log, state } = ports;
  let { payments } = open;
  let hadGap = false;
  let isAbandoned = false;
  const sendOpen = (transaction: JournaledTransaction) => send(transaction, ports);
  const [newest] = open.transactions;
  // Without payments the transaction would cost gas, or charge payments that another one carries.
  if (newest === undefined || payments.length === 0) return abandon(lease, open, ports);
  if (!(await sendOpen(newest))) return giveAway(lease, open, payments, ports);
  state.stuckReason = null;
  const followed = await followNonce(open.transactions, {
    ...ports,
    send: sendOpen,
    replace: (last) => bump(lease, last, payments, ports),
    isWorthWaiting: async () => {
      payments = await dropOverdue(payments, ports);
      return payments.length > 0;
    },
    mayResend: async () => {
      // A reorganisation may have reopened a lower nonce. The lower nonce goes first.
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
      'The chain waits for a lower relayer nonce that was never used. The payments are sent again from that nonce.',
    );
    return abandon(lease, open, ports);
  }
  if (followed.kind === 'stopped') {
    if (payments.length === 0) return abandon(lease, open, ports);
    return state.lacksEther ? giveAway(lease, open, payments, ports) : false;
  }
  if (followed.kind === 'mined') {
    const mined = { payments: open.payments.length, isReverted: followed.mined.isReverted };
    state.batchMax = adjustBatchMax(state.batchMax, mined, ports.limits.batchMax);
    await concludeMined(lease, payments, followed.mined, ports);
  } else {
    await reportLost(open, ports);
    await concludeLost(lease, payments, ports);
  }
  return close(lease, open, ports);
}

/**
 * Frees the payments of a transaction that nodes reject for lack of ether, and drops the nonce (D-191). The
 * transaction is never sent again, because another relayer may carry its payments. The next one is signed anew.
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

/** Closes the nonce, unless the relayer worker closes before all of its payments are concluded. */
async function close(lease: RelayerLease, { relayerNonce }: OpenNonce, ports: Ports): Promise<boolean> {
  ports.state.blockedReason = null;
  if (ports.closing.aborted) return false;
  await ports.store.closeNonce(lease, relayerNonce);
  return true;
}

/**
 * Drops a nonce whose transactions will not be mined: after a wrong count, a reorganisation, or without
 * payments. Its payments get the nonce that the chain waits for, because filling a gap would cost gas.
 */
async function abandon(lease: RelayerLease, { relayerNonce }: OpenNonce, ports: Ports): Promise<boolean> {
  ports.state.blockedReason = null;
  await ports.store.abandonNonce(lease, relayerNonce);
  return true;
}

/** Sends the transaction. Returns false when nodes reject it for lack of ether; else it may be followed. */
async function send(newest: JournaledTransaction, { rpc, relayer, log, state }: Ports): Promise<boolean> {
  const sent = await broadcast(rpc, newest);
  state.lacksEther = !sent.ok && /insufficient funds/i.test(sent.fault.message);
  state.blockedReason = sent.ok
    ? null
    : `the RPC endpoint rejected a settlement transaction: ${sent.fault.message}`;
  if (!sent.ok)
    log.warn(
      { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
      'The RPC endpoint rejected a settlement transaction.',
    );
  return !state.lacksEther;
}

/** Signs the nonce again at higher fees, for its open payments. The store records the new transaction (D-191). */
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
    'A settlement transaction is not mined. It is sent again at a higher fee.',
  );
  await store.submit(lease, listIds(payments), replacement);
  await send(replacement, ports);
  ports.state.stuckReason = `settlements are not mined: the transaction with nonce ${replacement.relayerNonce} of relayer ${relayer.address} was replaced at higher fees. Check the chain and its fees`;
  return replacement;
}
