import { setTimeout as sleep } from 'node:timers/promises';
import { transferWithAuthorizationCalldata } from '../chain/calldata.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { ExpectedPayment } from '../chain/token-logs.ts';
import type { Log } from '../observe/log.ts';
import type { PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { type Address, type Bytes32, parseBytes32 } from '../vocabulary/units.ts';
import { chainSeconds, findSpender, type Mined, readMined } from './chain-view.ts';
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
      const balance = await rpc.call<unknown>('eth_getBalance', [options.relayer, 'latest']);
      if (!balance.ok) return `the chain does not answer: ${balance.fault.message}`;
      return balance.value === '0x0' ? `the relayer ${options.relayer} has no ether for gas` : null;
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
  async function pursue(payment: PaymentRecord): Promise<Settlement> {
    const expected: ExpectedPayment = { asset: payment.asset, ...payment.authorization };
    const ineffective = new Set<Bytes32>();
    let pauseMs = options.pollIntervalMs;
    while (!closing.signal.aborted) {
      const known = (await store.transactionsOf(payment.id)).filter(({ hash }) => !ineffective.has(hash));
      if (known.length === 0) await submit(payment);
      for (const { hash } of known.length > 0 ? known : await store.transactionsOf(payment.id)) {
        const mined = await readMined(rpc, hash, expected);
        if (!mined.ok || mined.value === null || ineffective.has(hash)) continue;
        const verdict = await judge(payment, expected, mined.value);
        if (verdict) return verdict;
        ineffective.add(hash);
        if (ineffective.size >= attemptsMax) return refuse(payment, 'invalid_transaction_state');
      }
      const verdict = await judgeUnmined(payment, expected);
      if (verdict) return verdict;
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, options.pollIntervalMsMax);
      await resendUnmined(payment, ineffective);
    }
    return { state: 'unknown' };
  }

  async function submit(payment: PaymentRecord): Promise<void> {
    // The token compares strictly: in the second that validAfter names it would still refuse.
    while (payment.authorization.validAfter >= BigInt(clock.nowSeconds()))
      await pause(options.pollIntervalMsMax);
    const signature = splitSignature(payment.signature);
    const data = transferWithAuthorizationCalldata(payment.authorization, signature);
    const sent = await lane.send(payment.id, payment.asset, data, transferGasLimit);
    if (!sent.ok) log.warn({ payment: payment.id, fault: sent.fault }, 'the node did not take a settlement');
  }

  async function resendUnmined(payment: PaymentRecord, ineffective: ReadonlySet<Bytes32>): Promise<void> {
    const [newest] = await store.transactionsOf(payment.id);
    if (newest && !ineffective.has(newest.hash)) await lane.resend(newest);
  }

  async function judge(
    payment: PaymentRecord,
    expected: ExpectedPayment,
    mined: Mined,
  ): Promise<Settlement | null> {
    switch (mined.trace) {
      case 'paid':
        await store.settle(payment.id, mined.txHash, mined.block);
        return { state: 'settled', txHash: mined.txHash };
      case 'canceled':
        return refuse(payment, 'authorization_canceled');
      case 'used-otherwise':
        return refuse(payment, 'authorization_used');
      case 'absent':
        return judgeAbsent(payment, expected);
    }
  }

  /** Our transaction was mined and moved nothing: somebody was faster, or the payer can no longer pay. */
  async function judgeAbsent(payment: PaymentRecord, expected: ExpectedPayment): Promise<Settlement | null> {
    const spender = await findSpender(rpc, token, expected, 'earliest');
    if (!spender.ok) return null;
    if (spender.value !== null && spender.value.trace !== 'absent')
      return judge(payment, expected, spender.value);
    const balance = await token.balanceOf(expected.from);
    if (balance.ok && balance.value < expected.value) return refuse(payment, 'insufficient_funds');
    return null;
  }

  /** No transaction of ours is mined: the nonce may be spent all the same, or its time may be over. */
  async function judgeUnmined(payment: PaymentRecord, expected: ExpectedPayment): Promise<Settlement | null> {
    const now = await chainSeconds(rpc);
    if (!now.ok || now.value < payment.authorization.validBefore) return null;
    const spender = await findSpender(rpc, token, expected, 'earliest');
    if (!spender.ok) return null;
    if (spender.value !== null) return judge(payment, expected, spender.value);
    return refuse(payment, 'payment_expired');
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

/** v is 27 or 28 on chain, whichever way the client wrote it (D-04). */
function splitSignature(signature: string): { v: 27 | 28; r: Bytes32; s: Bytes32 } {
  const [r, s] = [parseBytes32(signature.slice(0, 66)), parseBytes32(`0x${signature.slice(66, 130)}`)];
  const v = Number.parseInt(signature.slice(130), 16);
  if (r === null || s === null) throw new Error('a stored signature is not 65 bytes');
  return { v: v === 1 || v === 28 ? 28 : 27, r, s };
}
