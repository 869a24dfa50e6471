import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGasBalance } from '../relayer/gas-balance.ts';
import { signCall } from '../relayer/nonce.ts';
import { startWorker } from '../relayer/worker.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { PaymentRecord } from '../store/store.ts';
import { pause } from '../types/signal.ts';
import { markedCall, settlementCall, splitByGas } from './call.ts';
import { claimFitting, createClaims } from './claim.ts';
import { createFollowedNonces } from './followed-nonces.ts';
import { leave, readUnfollowed, startNonce } from './nonces.ts';
import { concludeOverdue, sweepOverdue } from './reconcile/overdue.ts';
import { listIds, releaseClaims } from './reconcile/reconcile.ts';
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
 * Settles executed payments. Payments gather while a transaction is open; there is no other batching. If the
 * transaction stays open or is full, the next relayer nonce carries the gathered payments (D-237, D-394). The store
 * records every step first, so a relayer worker can continue after any step.
 */
export function startRelayerWorker(options: RelayerWorkerPorts): RelayerWorker {
  const { relayer, limits, clock, closing } = options;
  const state: State = {
    lastBatch: 1,
    batchMax: limits.batchMax,
    blockedReason: null,
    chainLagSeconds: 0,
    expectsPayments: false,
  };
  const gasBalance = createGasBalance(options);
  const nonces = createFollowedNonces(limits, clock, closing);
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
      return nonces.check();
    },
    onFailure: nonces.stop,
    onClosing: nonces.stop,
  });
  const claim = createClaims({ ...options, allMs: limits.resendMs });
  const ports: Ports = { ...options, stillHolds: worker.stillHolds, gasBalance, claim, nonces, state };
  return { done: worker.done, healthIssue };

  async function healthIssue(): Promise<string | null> {
    const gasIssue = await gasBalance.healthIssue();
    // A node may refuse a nonce only because a lower one is open.
    const [lowest] = nonces.open();
    return gasIssue ?? state.blockedReason ?? lowest?.rejection ?? lowest?.stuckReason ?? null;
  }
}

/** One step: follows open nonces of the store, then sends the payments that wait. */
async function settleOnce(lease: RelayerLease, ports: Ports): Promise<void> {
  const { limits, closing, state, nonces } = ports;
  const isNextFree = await nonces.nextIsFree(state.lastBatch >= state.batchMax);
  await nonces.check();
  // The worker reads the chain while it reads the store, and while it gathers and claims payments.
  const start = isNextFree && state.expectsPayments ? readStart(ports) : null;
  // It claims a payment that is probably alone while the store lists the open nonces.
  const isAlone = start !== null && state.lastBatch === 1;
  const [unfollowed, early] = await Promise.all([
    readUnfollowed(ports),
    isAlone ? claimNext(lease, ports) : null,
  ]);
  for (const open of unfollowed) await startNonce(lease, open, { weiMax: 0n, isRecovered: true }, ports);
  if (unfollowed.length > 0 || !isNextFree) return releaseClaims(lease, early?.payments ?? [], ports);
  const claimed = early ?? (await claimNext(lease, ports));
  if (claimed.lacksGas) {
    await leave(lease, [], ports);
    return pause(limits.resendMs, closing);
  }
  const { payments, hasStopped } = claimed;
  if (payments.length > 0) return carry(lease, payments, start ?? readStart(ports), ports);
  state.lastBatch = 1;
  // No payment waits for this relayer, so the last obstacle says nothing about the next payment.
  if (!hasStopped) state.blockedReason = null;
  state.expectsPayments = await ports.work.wait(hasStopped ? limits.resendMs : limits.idleMs, closing);
}

type Claimed = {
  readonly payments: readonly PaymentRecord[];
  /** Whether the token takes no transfers to some recipients. Their payments wait in the store. */
  readonly hasStopped: boolean;
  readonly lacksGas: boolean;
};

/** Gathers and claims the payments for the next transaction. Claims none while the relayer has no ether. */
async function claimNext(lease: RelayerLease, ports: Ports): Promise<Claimed> {
  const { limits, closing, state } = ports;
  if (!(await ports.gasBalance.hasGas())) return { payments: [], hasStopped: false, lacksGas: true };
  if (state.lastBatch > 1) await pause(limits.gatherMs, closing);
  else await nextTurn();
  const stopped = await ports.tokenWatch.stopped();
  const hasStopped = stopped.size > 0;
  // Payments to stopped recipients wait, unsent, until the token takes transfers again.
  if (hasStopped) await sweepOverdue(lease, limits.batchMax, ports);
  const { chainLagSeconds: lagSeconds } = state;
  const { fitting, beyond } = await claimFitting(
    lease,
    { max: limits.batchMax, lagSeconds, except: [...stopped] },
    ports.claim,
  );
  await releaseClaims(lease, beyond, ports);
  state.chainLagSeconds = 0;
  return { payments: fitting, hasStopped, lacksGas: false };
}

/** The chain for the next transaction, and the number of dropped nonces before the reading. */
type Start = { readonly reading: ReturnType<typeof readWorkerStart>; readonly drops: number };

/** Reads the chain for the next transaction. */
function readStart(ports: Ports): Start {
  const askAgain = () => pause(ports.limits.pollMsMax, ports.closing);
  const open = ports.nonces.open().map(({ relayerNonce }) => relayerNonce);
  const drops = ports.nonces.drops();
  const reading = readWorkerStart({ ...ports, relayer: ports.relayer.address, open, askAgain });
  // A step that ends before it needs the reading must not leave an unhandled rejection.
  reading.catch(() => undefined);
  return { reading, drops };
}

/** Most expired payments that one step looks for. */
const overdueMax = 100;

/** Signs one transaction for all payments whose window is open, and starts to follow it. */
async function carry(
  lease: RelayerLease,
  claimed: readonly PaymentRecord[],
  { reading, drops }: Start,
  ports: Ports,
): Promise<void> {
  const { store, relayer, limits, closing, gasBalance, nonces, state } = ports;
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
  const due = claimed.filter((payment) => !late.includes(payment) && !early.includes(payment));
  if (early.length > 0) state.chainLagSeconds = Math.max(0, ports.clock.nowSeconds() - Number(seconds));
  await releaseClaims(lease, early, ports);
  // Where one has expired, others may have: each conclusion reads the chain twice, with a pause between (D-430).
  const sweeping = late.length > 0 ? sweepOverdue(lease, overdueMax, ports) : null;
  const [undecided] = await Promise.all([concludeOverdue(lease, late, ports), sweeping]);
  if (due.length === 0) return early.length + undecided > 0 ? pause(limits.pollMsMax, closing) : undefined;
  const hasGas = gasBalance.room(wei, price) > 0;
  const { affordable, beyond } = splitByGas(due, wei, price.maxFeePerGas, state.batchMax);
  if (beyond.length > 0) await leave(lease, beyond, ports);
  if (affordable.length === 0) {
    // Only wallets wait, and their long signatures cost more gas.
    if (hasGas) await pause(limits.pollMsMax, closing);
    return;
  }
  // The open transactions may use up a part of the gas balance.
  const reserved = nonces.open().reduce((sum, { weiMax }) => sum + weiMax, 0n);
  const room = splitByGas(affordable, wei - reserved, price.maxFeePerGas);
  const payments = room.affordable;
  await releaseClaims(lease, room.beyond, ports);
  if (nonce === null || nonces.drops() !== drops || payments.length === 0) {
    await releaseClaims(lease, payments, ports);
    return nonces.change(limits.pollMsMax);
  }
  state.lastBatch = payments.length;
  state.expectsPayments = payments.length > 1;
  const call = markedCall(settlementCall(payments));
  const transaction = signCall(relayer, nonce, call, price);
  await store.submit(lease, listIds(payments), transaction);
  const weiMax = call.gasLimit * price.maxFeePerGas;
  const open = { relayerNonce: nonce, transactions: [transaction], payments };
  await startNonce(lease, open, { weiMax, isRecovered: false }, ports);
}
