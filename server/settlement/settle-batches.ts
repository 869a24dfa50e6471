import { setImmediate as nextTurn } from 'node:timers/promises';
import { pinEndpoint } from '../chain/rpc.ts';
import { followNonce } from '../relayer/follow.ts';
import { createGasBalance } from '../relayer/gas-balance.ts';
import { hasGap, signCall } from '../relayer/nonce.ts';
import { startWorker } from '../relayer/worker.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { JournaledTransaction, OpenNonce, PaymentRecord } from '../store/store.ts';
import { pause } from '../types/signal.ts';
import { adjustBatchMax } from './batch-size.ts';
import { markedCall, settlementCall } from './call.ts';
import { createClaims } from './claim.ts';
import { abandon, bump, close, endNonce, readOpen, send } from './nonces.ts';
import { concludeOverdue, dropOverdue, sweepOverdue } from './reconcile/overdue.ts';
import { concludeLost, concludeMined, listIds, releaseClaims } from './reconcile/reconcile.ts';
import { reportLost } from './report-lost.ts';
import { readWorkerStart } from './worker-start.ts';
import type { Ports, RelayerWorkerPorts, State } from './worker-state.ts';

/** The worker of one relayer key. */
export interface RelayerWorker {
  /** Resolves when the relayer worker has closed. The store holds open work. */
  readonly done: Promise<void>;
  /** Reads the chain, and returns why the relayer worker cannot settle, for the operator; else null. */
  healthIssue(): Promise<string | null>;
}

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
    expectsPayments: false,
    ending: null,
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
      state.ending = null;
    },
    onClosing: async () => {
      await state.ending?.done.catch(() => undefined);
    },
  });
  const claim = createClaims({ ...options, allMs: limits.resendMs });
  const ports: Ports = { ...options, stillHolds: worker.stillHolds, gasBalance, claim, state };
  return {
    done: worker.done,
    healthIssue: async () => (await gasBalance.healthIssue()) ?? state.blockedReason ?? state.stuckReason,
  };
}

/** One step: follows the open nonces, then settles the payments that wait. */
async function settleOnce(lease: RelayerLease, ports: Ports): Promise<void> {
  const { limits, closing, state } = ports;
  for (const open of await readOpen(ports)) {
    if (!(await follow(lease, open, ports))) return;
    await endNonce(state);
  }
  if (!(await ports.gasBalance.hasGas())) {
    await leave(lease, [], ports);
    return pause(limits.resendMs, closing);
  }
  // The worker reads the chain while it gathers and claims payments.
  const start = state.expectsPayments ? readStart(ports) : null;
  if (state.lastBatch > 1) await pause(limits.gatherMs, closing);
  else await nextTurn();
  const stopped = await ports.tokenWatch.stopped();
  // Payments to stopped recipients wait in the store, unsent, until the token takes transfers again.
  if (stopped.size > 0) await sweepOverdue(lease, limits.batchMax, ports);
  const { batchMax: max, chainLagSeconds: lagSeconds } = state;
  const payments = await ports.claim(lease, { max, lagSeconds, except: [...stopped] });
  state.chainLagSeconds = 0;
  if (payments.length > 0) return carry(lease, payments, start ?? readStart(ports), ports);
  state.lastBatch = 1;
  // No payment waits for this relayer, so the last obstacle says nothing about the next payment.
  if (stopped.size === 0) state.blockedReason = null;
  state.expectsPayments = await ports.work.wait(stopped.size > 0 ? limits.resendMs : limits.idleMs, closing);
}

/** Reads the chain for the next transaction. */
function readStart(ports: Ports): ReturnType<typeof readWorkerStart> {
  const askAgain = () => pause(ports.limits.pollMsMax, ports.closing);
  const start = readWorkerStart({ ...ports, relayer: ports.relayer.address, askAgain });
  // A step that ends before it needs the reading must not leave an unhandled rejection.
  start.catch(() => undefined);
  return start;
}

/** Signs one transaction for all payments whose window is open, and follows it to its end. */
async function carry(
  lease: RelayerLease,
  claimed: readonly PaymentRecord[],
  reading: ReturnType<typeof readWorkerStart>,
  ports: Ports,
): Promise<void> {
  const { store, relayer, limits, closing, gasBalance, state } = ports;
  const start = await reading;
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
  state.expectsPayments = payments.length > 1;
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
