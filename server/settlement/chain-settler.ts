import { setTimeout as sleep } from 'node:timers/promises';
import { transferWithAuthorizationCalldata } from '../chain/calldata.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { ExpectedPayment } from '../chain/token-logs.ts';
import type { Log } from '../observe/log.ts';
import type { JournaledTransaction, PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { type Address, type Bytes32, parseBytes32 } from '../vocabulary/units.ts';
import { chainSeconds, findSpender, type Mined, readMined, readQuantity } from './chain-view.ts';
import type { RelayerLane } from './relayer-lane.ts';
import type { RefusalReason, Settlement, Settler } from './settler.ts';

export type ChainSettlerOptions = {
  readonly rpc: Rpc;
  readonly store: Store;
  readonly token: PaymentToken;
  readonly lane: RelayerLane;
  readonly relayer: Address;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a caller waits for the chain before the answer is `unknown`. */
  readonly settlementWaitMs: number;
  readonly pollIntervalMs: number;
  readonly pollIntervalMsMax: number;
};

/** What one `transferWithAuthorization` may cost; twice what the reference token and most others need. */
const transferGasLimit = 150_000n;
/** Attempts with a fresh transaction after one that was mined without effect. */
const attemptsMax = 3;

/** A payment that is being followed, and those of its transactions that can no longer settle it. */
type Pursuit = { readonly payment: PaymentRecord; readonly over: Set<Bytes32> };

/** `undecided` leaves everything as it is until the chain is asked again. */
type Conclusion = Settlement | 'undecided';

/** `ineffective` gives one transaction up and sends another. */
type Verdict = Conclusion | 'ineffective';

/** Settles by sending `transferWithAuthorization` from the relayer's key, and believes nothing but the logs. */
export function createChainSettler(options: ChainSettlerOptions): Settler {
  const { rpc, store, token, lane, clock, log } = options;
  const underWay = new Map<number, Promise<Settlement>>();
  const closing = new AbortController();

  return {
    async settle(payment) {
      const patience = new AbortController();
      const late = sleep(options.settlementWaitMs, { state: 'unknown' } as const, {
        signal: patience.signal,
      });
      try {
        return await Promise.race([follow(payment), late.catch(() => ({ state: 'unknown' }) as const)]);
      } finally {
        patience.abort();
      }
    },
    async trouble() {
      const balance = await readQuantity(rpc, 'eth_getBalance', [options.relayer, 'latest']);
      if (!balance.ok) return `the chain does not answer: ${balance.fault.message}`;
      const gasPrice = await readQuantity(rpc, 'eth_gasPrice', []);
      if (!gasPrice.ok) return `the chain does not answer: ${gasPrice.fault.message}`;
      if (balance.value >= gasPrice.value * transferGasLimit) return null;
      return `the relayer ${options.relayer} has too little ether for the gas of one settlement`;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay.values());
    },
  };

  function follow(payment: PaymentRecord): Promise<Settlement> {
    const joined = underWay.get(payment.id);
    if (joined) return joined;
    const started = pursue(payment)
      .catch((cause: unknown): Settlement => {
        log.error(
          { err: cause, payment: payment.id },
          'settlement stopped; it is taken up again at the next request',
        );
        return { state: 'unknown' };
      })
      .finally(() => underWay.delete(payment.id));
    underWay.set(payment.id, started);
    return started;
  }

  /** Follows a payment until the chain has said yes or no. */
  async function pursue(asked: PaymentRecord): Promise<Settlement> {
    // Whoever asks may have read the ledger before the last pursuit of this payment ended.
    const ended = endOf(await store.find(asked.id));
    if (ended) return ended;
    const pursuit = { payment: asked, over: new Set<Bytes32>() };
    const expected: ExpectedPayment = { asset: asked.asset, ...asked.authorization };
    let ineffective = 0;
    let pauseMs = options.pollIntervalMs;
    while (!closing.signal.aborted) {
      if ((await openTransactions(pursuit)).length === 0) await submit(asked);
      for (const { hash } of await openTransactions(pursuit)) {
        const mined = await readMined(rpc, hash, expected);
        if (!mined.ok || mined.value === null) continue;
        const verdict = await judge(asked, expected, mined.value);
        if (verdict === 'undecided') continue;
        if (verdict !== 'ineffective') return verdict;
        pursuit.over.add(hash);
        ineffective++;
        if (ineffective >= attemptsMax) return refuse(asked, 'invalid_transaction_state');
      }
      const verdict = await judgeUnmined(asked, expected);
      if (verdict !== 'undecided') return verdict;
      await pause(pauseMs);
      if (pauseMs === options.pollIntervalMsMax) await resendOpen(pursuit, expected);
      pauseMs = Math.min(pauseMs * 2, options.pollIntervalMsMax);
    }
    return { state: 'unknown' };
  }

  /** The transactions that may still settle the payment. */
  async function openTransactions({ payment, over }: Pursuit): Promise<readonly JournaledTransaction[]> {
    return (await store.transactionsOf(payment.id)).filter(({ hash }) => !over.has(hash));
  }

  async function submit(payment: PaymentRecord): Promise<void> {
    // The token compares strictly: in the second that validAfter names it would still refuse.
    while (payment.authorization.validAfter >= BigInt(clock.nowSeconds())) {
      await pause(options.pollIntervalMsMax);
      if (closing.signal.aborted) return;
    }
    const signature = splitSignature(payment.signature);
    const data = transferWithAuthorizationCalldata(payment.authorization, signature);
    const sent = await lane.send(payment.id, payment.asset, data, transferGasLimit);
    if (!sent.ok) log.warn({ payment: payment.id, fault: sent.fault }, 'the node did not take a settlement');
  }

  /** In case the node lost them. One whose nonce went to another transaction can never be mined, and is given up. */
  async function resendOpen(pursuit: Pursuit, expected: ExpectedPayment): Promise<void> {
    for (const transaction of await openTransactions(pursuit)) {
      const sent = await lane.resend(transaction);
      if (sent.ok || sent.fault.kind !== 'refused') continue;
      const used = await lane.isNonceUsed(transaction);
      if (!used.ok || !used.value) continue;
      // Read after the count, for it may have been this very transaction that used the nonce.
      const mined = await readMined(rpc, transaction.hash, expected);
      if (mined.ok && mined.value === null) pursuit.over.add(transaction.hash);
    }
  }

  async function judge(payment: PaymentRecord, expected: ExpectedPayment, mined: Mined): Promise<Verdict> {
    return mined.trace === 'absent' ? judgeAbsent(payment, expected) : conclude(payment, mined);
  }

  /**
   * Our transaction was mined and moved nothing: somebody was faster, or the payer can no longer pay. A node that does
   * not answer decides neither, or else a payment that was made would be refused.
   */
  async function judgeAbsent(payment: PaymentRecord, expected: ExpectedPayment): Promise<Verdict> {
    const spender = await findSpender(rpc, token, expected);
    if (!spender.ok) return 'undecided';
    if (spender.value !== null) return conclude(payment, spender.value);
    const balance = await token.balanceOf(expected.from);
    if (!balance.ok) return 'undecided';
    return balance.value < expected.value ? refuse(payment, 'insufficient_funds') : 'ineffective';
  }

  /** No transaction of ours is mined: the nonce may be spent all the same, or its time may be over. */
  async function judgeUnmined(payment: PaymentRecord, expected: ExpectedPayment): Promise<Conclusion> {
    const now = await chainSeconds(rpc);
    if (!now.ok || now.value < payment.authorization.validBefore) return 'undecided';
    const spender = await findSpender(rpc, token, expected);
    if (!spender.ok) return 'undecided';
    return spender.value === null ? refuse(payment, 'payment_expired') : conclude(payment, spender.value);
  }

  /** What the transaction that spent the nonce has made of the payment. */
  async function conclude(payment: PaymentRecord, { trace, txHash, block }: Mined): Promise<Conclusion> {
    switch (trace) {
      case 'paid':
        await store.settle(payment.id, txHash, block);
        return { state: 'settled', txHash };
      case 'canceled':
        return refuse(payment, 'authorization_canceled');
      case 'used-otherwise':
        return refuse(payment, 'authorization_used');
      case 'absent':
        return 'undecided';
    }
  }

  async function refuse(payment: PaymentRecord, reason: RefusalReason): Promise<Settlement> {
    await store.fail(payment.id, reason);
    log.warn(
      { payment: payment.id, reason },
      'the chain refused a payment after inference; the answer is withheld',
    );
    return { state: 'refused', reason };
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }
}

function endOf(payment: PaymentRecord | null): Settlement | null {
  if (payment?.state === 'settled' && payment.txHash !== null)
    return { state: 'settled', txHash: payment.txHash };
  if (payment?.state === 'failed') return { state: 'refused', reason: payment.failure as RefusalReason };
  return null;
}

/** v is 27 or 28 on chain, whichever way the client wrote it (D-04). */
function splitSignature(signature: string): { v: 27 | 28; r: Bytes32; s: Bytes32 } {
  const [r, s] = [parseBytes32(signature.slice(0, 66)), parseBytes32(`0x${signature.slice(66, 130)}`)];
  const v = Number.parseInt(signature.slice(130), 16);
  if (r === null || s === null) throw new Error('a stored signature is not 65 bytes');
  return { v: v === 1 || v === 28 ? 28 : 27, r, s };
}
