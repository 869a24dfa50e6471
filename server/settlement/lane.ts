import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type JournaledTransaction,
  type LaneLease,
  type OpenNonce,
  type PaymentRecord,
  StaleFence,
} from '../store/store.ts';
import { unixSeconds } from '../vocabulary/units.ts';
import { settlementCall } from './call.ts';
import { readMinedNonce } from './chain-view.ts';
import { type ConcludePorts, concludeEach, settlePaid } from './conclude.ts';
import { currentFees, type FeeLimits } from './fees.ts';
import { broadcast, findMined, isNonceLost, type Relayer, replace, signCall } from './nonce.ts';
import { pause, type Signal } from './signal.ts';

export type LaneLimits = {
  /** Most payments in one transaction. */
  readonly batchMax: number;
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** How long a lane gathers payments when the last transaction carried more than one. */
  readonly gatherMs: number;
  /** How long a lane without work waits before it looks at the ledger again. */
  readonly idleMs: number;
  /** A transaction that is not mined is sent again this often, */
  readonly resendMs: number;
  /** and replaced by one with higher fees after so long. */
  readonly stuckMs: number;
  readonly leaseSeconds: number;
};

export type LanePorts = ConcludePorts & {
  readonly relayer: Relayer;
  /** This process. */
  readonly owner: string;
  readonly fees: FeeLimits;
  readonly limits: LaneLimits;
  /** Told when a payment was executed. */
  readonly work: Signal;
  readonly closing: AbortSignal;
};

/** One relayer key at work. */
export interface Lane {
  /** Ends when the lane is told to close; what is open then is in the ledger. */
  readonly done: Promise<void>;
  /** Why the lane gets nowhere, for the operator; null when all is well. */
  trouble(): string | null;
}

/** Times that one payment goes into another transaction after one that was mined without effect. */
const attemptsMax = 3;
const retryMs = 1_000;

/**
 * Carries executed payments to the chain, one transaction at a time: while one is under way the next gather, which is
 * all the batching there is. Every step is in the ledger before it is taken, so that a lane can start from any of them.
 */
export function startLane(ports: LanePorts): Lane {
  const { rpc, store, clock, log, relayer, limits, closing } = ports;
  const attempts = new Map<number, number>();
  let held: { lease: LaneLease; until: number } | null = null;
  let lastBatch = 1;
  let complaint: string | null = null;
  return { done: run(), trouble: () => complaint };

  async function run(): Promise<void> {
    while (!closing.aborted) {
      try {
        await workOnce();
      } catch (cause) {
        held = null;
        if (cause instanceof StaleFence)
          log.warn({ relayer: relayer.address }, 'another process took this relayer over');
        else
          log.error(
            { err: cause, relayer: relayer.address },
            'a relayer stumbled; it starts from the ledger again',
          );
        await pause(retryMs, closing);
      }
    }
    if (held) await store.endLease(held.lease).catch(() => undefined);
  }

  async function workOnce(): Promise<void> {
    const lease = await hold();
    if (lease === null) return pause(retryMs, closing);
    for (const open of await store.openNonces(relayer.address)) {
      await follow(lease, open);
      if (closing.aborted) return;
    }
    if (lastBatch > 1) await pause(limits.gatherMs, closing);
    else await nextTurn();
    const payments = await store.claimExecuted(lease, limits.batchMax, clock.nowSeconds());
    if (payments.length > 0) return carry(lease, payments);
    lastBatch = 1;
    return ports.work.wait(limits.idleMs);
  }

  /** Holds the key, renewing in good time. */
  async function hold(): Promise<LaneLease | null> {
    const now = clock.nowSeconds();
    if (held !== null && now < held.until - limits.leaseSeconds / 2) return held.lease;
    const until = unixSeconds(now + limits.leaseSeconds);
    const lease = await store.leaseLane(relayer.address, ports.owner, until, now);
    held = lease && { lease, until };
    return lease;
  }

  /** Signs one transaction for all of them and follows it to its end. */
  async function carry(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void> {
    const nonce = await readMinedNonce(rpc, relayer.address);
    const price = nonce.ok ? await currentFees(rpc, ports.fees) : nonce;
    if (!nonce.ok || !price.ok) {
      // They are this lane's in the ledger and come again with the next claim.
      complaint = 'the chain does not answer';
      return pause(limits.pollMsMax, closing);
    }
    lastBatch = payments.length;
    const transaction = signCall(relayer, nonce.value, settlementCall(payments), price.value);
    await store.submit(
      lease,
      payments.map(({ id }) => id),
      transaction,
    );
    await follow(lease, { relayerNonce: nonce.value, transactions: [transaction], payments });
  }

  /** Follows one nonce until a transaction of it is in a block, or the nonce is lost. */
  async function follow(lease: LaneLease, open: OpenNonce): Promise<void> {
    let { transactions, payments } = open;
    let pauseMs = limits.pollMs;
    let [sentAt, signedAt] = [clock.monotonicMs(), clock.monotonicMs()];
    await send(transactions);
    while (!closing.aborted) {
      const mined = await findMined(rpc, transactions);
      if (mined.ok && mined.value !== null) {
        complaint = null;
        const left = await settlePaid(payments, mined.value, ports);
        await concludeRest(lease, left);
        return store.closeNonce(lease, open.relayerNonce);
      }
      if (await isNonceLost(rpc, transactions)) {
        log.warn(
          { relayer: relayer.address, nonce: open.relayerNonce },
          'a relayer nonce was used by somebody else',
        );
        await concludeRest(lease, payments);
        return store.closeNonce(lease, open.relayerNonce);
      }
      payments = await dropOverdue(payments);
      if (clock.monotonicMs() - sentAt >= limits.resendMs) {
        await send(transactions);
        sentAt = clock.monotonicMs();
      }
      if (clock.monotonicMs() - signedAt >= limits.stuckMs) {
        transactions = await bump(lease, transactions, payments);
        [sentAt, signedAt] = [clock.monotonicMs(), clock.monotonicMs()];
      }
      if ((await hold()) === null) throw new StaleFence('the lease ran out');
      await pause(pauseMs, closing);
      pauseMs = Math.min(pauseMs * 2, limits.pollMsMax);
    }
  }

  async function send([newest]: readonly JournaledTransaction[]): Promise<void> {
    if (newest === undefined) return;
    const sent = await broadcast(rpc, newest);
    complaint = sent.ok ? null : `the node does not take a settlement: ${sent.fault.message}`;
    if (!sent.ok)
      log.warn(
        { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
        'a settlement was not taken',
      );
  }

  async function bump(
    lease: LaneLease,
    transactions: readonly JournaledTransaction[],
    payments: readonly PaymentRecord[],
  ): Promise<readonly JournaledTransaction[]> {
    const [newest] = transactions;
    const replacement = newest && (await replace(relayer, newest, rpc, ports.fees));
    if (!replacement) return transactions;
    log.warn(
      { relayer: relayer.address, nonce: replacement.relayerNonce },
      'a settlement is stuck; its fee goes up',
    );
    await store.submit(
      lease,
      payments.map(({ id }) => id),
      replacement,
    );
    const all = [replacement, ...transactions];
    await send(all);
    return all;
  }

  /** Payments whose time is over while their transaction waits: it would no longer move anything for them. */
  async function dropOverdue(payments: readonly PaymentRecord[]): Promise<readonly PaymentRecord[]> {
    const now = BigInt(clock.nowSeconds());
    const overdue = payments.filter(({ authorization }) => authorization.validBefore <= now);
    if (overdue.length === 0) return payments;
    const { again, unknown } = await concludeEach(overdue, ports);
    return payments.filter(
      (payment) => !overdue.includes(payment) || again.includes(payment) || unknown.includes(payment),
    );
  }

  /** What the mined transaction did not pay for: each is asked about until the chain has an answer. */
  async function concludeRest(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void> {
    let rest = payments;
    while (rest.length > 0 && !closing.aborted) {
      const { again, unknown } = await concludeEach(rest, ports);
      await tryAgain(lease, again);
      rest = unknown;
      if (rest.length > 0) await pause(limits.pollMsMax, closing);
    }
  }

  async function tryAgain(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void> {
    for (const { id } of payments) attempts.set(id, (attempts.get(id) ?? 0) + 1);
    const hopeless = payments.filter(({ id }) => (attempts.get(id) ?? 0) >= attemptsMax);
    const rest = payments.filter((payment) => !hopeless.includes(payment));
    if (rest.length > 0)
      await store.requeue(
        lease,
        rest.map(({ id }) => id),
      );
    for (const { id } of hopeless) {
      attempts.delete(id);
      await store.fail(id, 'invalid_transaction_state', null);
      ports.announce(id, { state: 'refused', reason: 'invalid_transaction_state' });
    }
  }
}
