import { pinEndpoint } from '../chain/rpc.ts';
import { type Followed, followNonce } from '../relayer/follow.ts';
import { broadcast, findMined, hasGap, readNonceState, replace } from '../relayer/nonce.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { JournaledTransaction, OpenNonce, PaymentRecord } from '../store/store.ts';
import { pause } from '../types/signal.ts';
import { adjustBatchMax } from './batch-size.ts';
import { isSmallest, markedCall, settlementCall } from './call.ts';
import type { FollowedNonce } from './followed-nonces.ts';
import { dropOverdue, sweepOverdue } from './reconcile/overdue.ts';
import { concludeLost, concludeMined, listIds, releaseClaims } from './reconcile/reconcile.ts';
import { reportLost } from './report-lost.ts';
import type { Ports } from './worker-state.ts';

// One relayer nonce from its first broadcast to its end.

/** A nonce, and the lease under which the worker follows it. */
type Following = { readonly lease: RelayerLease; readonly nonce: FollowedNonce; readonly open: OpenNonce };

/** Reads the open nonces that the worker does not follow, lowest first. */
export async function readUnfollowed({ store, relayer, nonces }: Ports): Promise<readonly OpenNonce[]> {
  // A nonce may end while the store is read.
  const followed = nonces.numbers();
  const open = await store.openNonces(relayer.address);
  return open.filter(({ relayerNonce }) => !followed.includes(relayerNonce));
}

/**
 * Sends the newest transaction of a nonce, and follows the nonce while the worker goes on. The node has the
 * transaction, or refused it, before the next nonce is used.
 */
export async function startNonce(
  lease: RelayerLease,
  open: OpenNonce,
  { weiMax, isRecovered }: Pick<FollowedNonce, 'weiMax' | 'isRecovered'>,
  ports: Ports,
): Promise<void> {
  const nonce: FollowedNonce = {
    relayerNonce: open.relayerNonce,
    weiMax,
    isRecovered,
    sentAtMs: ports.clock.monotonicMs(),
    isOpen: true,
    lacksEther: false,
    isAboveGap: false,
    isRejected: false,
    rejection: null,
    stuckReason: null,
  };
  const following = { lease, nonce, open };
  const [newest] = open.transactions;
  // Without payments the transaction would cost gas, or charge payments that another one carries.
  const isEmpty = newest === undefined || open.payments.length === 0;
  if (!isEmpty && !(isRecovered && (await isMined(open, ports)))) await send(newest, nonce, ports);
  ports.nonces.follow(nonce, (closing) => {
    const own = { ...ports, closing };
    if (isEmpty) return closeEmpty(following, own);
    return nonce.lacksEther ? giveAway(following, open.payments, own) : follow(following, own);
  });
}

async function isMined({ transactions }: OpenNonce, { rpc }: Ports): Promise<boolean> {
  const mined = await findMined(rpc, transactions);
  return mined.ok && mined.value !== null;
}

/** Ends a nonce without payments. A nonce that the chain has used stays in the journal, which counts nonces. */
async function closeEmpty(following: Following, ports: Ports): Promise<void> {
  const { lease, nonce, open } = following;
  const { kind } = await readNonceState(ports.rpc, open.transactions);
  if (open.transactions.length === 0 || kind === 'open') return abandon(following, ports);
  await ports.store.closeNonce(lease, nonce.relayerNonce);
}

/** Follows a nonce until one of its transactions is in a block, the nonce is lost or dropped, or on closing. */
async function follow(following: Following, ports: Ports): Promise<void> {
  const { rpc, store, relayer, nonces, clock, limits } = ports;
  const { lease, nonce, open } = following;
  let { payments } = open;
  let gapSinceMs: number | null = null;
  let foundGap = false;
  const followed = await followNonce(open.transactions, {
    ...ports,
    send: (transaction) => send(transaction, nonce, ports),
    replace: (last) => bump(following, last, payments, ports),
    isRejected: () => nonce.isRejected,
    isFeeTooLow: () => nonce.rejection !== null && feeTooLow.test(nonce.rejection),
    isWorthWaiting: async () => {
      if (nonce.isAboveGap) return false;
      payments = await dropOverdue(payments, ports);
      return payments.length > 0;
    },
    mayResend: async () => {
      // Only the lowest open nonce shows a gap. A reorganisation may have reopened a lower one.
      const [lowest] = await store.openNonces(relayer.address);
      if (lowest && lowest.relayerNonce < nonce.relayerNonce) return true;
      // One count may be late, so two endpoints must show the gap, with a pause between.
      const endpoint = pinEndpoint(rpc, gapSinceMs === null ? 0 : 1);
      const isGap = await hasGap(endpoint, relayer.address, nonce.relayerNonce);
      const now = clock.monotonicMs();
      foundGap = isGap && gapSinceMs !== null && now - gapSinceMs >= limits.resendMs;
      if (foundGap) nonces.markGap(nonce.relayerNonce);
      gapSinceMs = isGap ? (gapSinceMs ?? now) : null;
      return !foundGap;
    },
  });
  if (followed.kind === 'stopped' && (foundGap || nonce.isAboveGap)) {
    ports.log.warn(
      { relayer: relayer.address, nonce: nonce.relayerNonce },
      'The chain waits for a lower relayer nonce that was never used. The payments are sent again from that nonce.',
    );
    return abandon(following, ports);
  }
  if (followed.kind === 'stopped') {
    if (payments.length === 0) return abandon(following, ports);
    return nonce.lacksEther ? giveAway(following, payments, ports) : undefined;
  }
  await conclude(following, payments, followed, ports);
  if (ports.closing.aborted) return;
  nonces.conclude(nonce);
  try {
    await store.closeNonce(lease, nonce.relayerNonce);
  } catch (cause) {
    // After a reorganisation the maintenance loop may have reopened the nonce. The next step follows it again.
    const open = await store.openNonces(relayer.address);
    const again = open.find(({ relayerNonce }) => relayerNonce === nonce.relayerNonce);
    if (again === undefined || again.payments.length === 0) throw cause;
  }
}

/** The words with which nodes refuse a transaction whose fee is below the base fee. */
const feeTooLow = /max fee per gas less than block base fee|fee cap less than block base fee/i;

/** Concludes the payments of a nonce that the chain has used. */
async function conclude(
  { lease, open }: Following,
  payments: readonly PaymentRecord[],
  followed: Exclude<Followed, { readonly kind: 'stopped' }>,
  ports: Ports,
): Promise<void> {
  const { state, limits, observer } = ports;
  if (followed.kind === 'mined') {
    const { isReverted, gas } = followed.mined;
    const mined = { payments: open.payments.length, isReverted, gas };
    observer?.mined(mined);
    const ended = { payments: mined.payments, hasFailed: isReverted };
    state.batchMax = adjustBatchMax(state.batchMax, ended, limits.batchMax);
    const sent = open.transactions.find(({ hash }) => hash === followed.mined.txHash);
    await concludeMined(lease, payments, { ...followed.mined, raw: sent?.raw ?? '0x' }, ports);
  } else {
    await reportLost(open, ports);
    await concludeLost(lease, payments, ports);
  }
  state.blockedReason = null;
}

/** Sends the transaction. Returns false when nodes reject it for lack of ether; else it may be followed. */
async function send(
  newest: JournaledTransaction,
  nonce: FollowedNonce,
  { rpc, relayer, log, state, gasBalance }: Ports,
): Promise<boolean> {
  const sent = await broadcast(rpc, newest);
  const before = nonce.rejection;
  nonce.isRejected = !sent.ok;
  nonce.lacksEther = !sent.ok && /insufficient funds/i.test(sent.fault.message);
  nonce.rejection = sent.ok
    ? null
    : `the RPC endpoint rejected a settlement transaction: ${sent.fault.message}`;
  if (sent.ok) {
    state.blockedReason = null;
    gasBalance.noteSent(false);
  } else if (nonce.rejection !== before)
    log.warn(
      { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
      'The RPC endpoint rejected a settlement transaction.',
    );
  return !nonce.lacksEther;
}

/** Signs the nonce again at higher fees, for its open payments. The store records the new transaction (D-191). */
async function bump(
  { lease, nonce }: Following,
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
  await send(replacement, nonce, ports);
  nonce.stuckReason = `settlements are not mined: the transaction with nonce ${replacement.relayerNonce} of relayer ${relayer.address} was replaced at higher fees. Check the chain and its fees`;
  return replacement;
}

/**
 * Drops a nonce whose transactions will not be mined: after a wrong count, a reorganisation, or without
 * payments. Its payments get the nonce that the chain waits for, because filling a gap would cost gas.
 */
async function abandon({ lease, nonce }: Following, { store, nonces, work }: Ports): Promise<void> {
  nonces.noteDrop();
  await store.abandonNonce(lease, nonce.relayerNonce);
  // The journal may have been read meanwhile.
  nonces.noteDrop();
  // A relayer worker without work may already wait.
  work.notify();
}

/**
 * Frees the payments of a transaction that nodes reject for lack of ether, and drops the nonce (D-191). The
 * transaction is never sent again, because another relayer may carry its payments. The next one is signed anew, for
 * half as many payments: a node may demand more ether than the gas costs (D-60).
 */
async function giveAway(
  following: Following,
  payments: readonly PaymentRecord[],
  ports: Ports,
): Promise<void> {
  const { nonces, state, limits, gasBalance } = ports;
  const { nonce, lease } = following;
  const ended = { payments: payments.length, hasFailed: true };
  state.batchMax = adjustBatchMax(state.batchMax, ended, limits.batchMax);
  const isAlone = nonces.open().every(({ relayerNonce }) => relayerNonce === nonce.relayerNonce);
  const isShort = isAlone && isSmallest(payments);
  if (isShort) gasBalance.noteSent(true);
  // The relayer may have enough ether for a smaller transaction, or once an open one has ended.
  else nonce.rejection = null;
  await leave(lease, payments, ports);
  await abandon(following, ports);
  if (payments.length === 1) await pause(isShort ? limits.resendMs : limits.pollMsMax, ports.closing);
}

/** Frees payments that this relayer has no ether for, and notifies the other relayer workers. */
export async function leave(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  ports: Ports,
): Promise<void> {
  await releaseClaims(lease, payments, ports);
  const waiting = await sweepOverdue(lease, ports.limits.batchMax, ports);
  if (waiting > 0) ports.work.notify();
}
