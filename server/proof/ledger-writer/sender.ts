import { Transaction } from 'ethers';
import { type Mined, readMinedNonce } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { bumpedFees, currentFees, type FeeLimits, type Fees } from '../../relayer/fees.ts';
import {
  broadcast,
  findMined,
  isNonceLost,
  type Relayer,
  readFreeNonce,
  replace,
  signCall,
} from '../../relayer/nonce.ts';
import type { JournaledTransaction } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import { pause } from '../../types/signal.ts';
import type { LedgerCall } from './ledger-call.ts';
import { silent, WriterIssues } from './writer-issues.ts';

export type SenderPorts = {
  readonly rpc: Rpc;
  readonly relayer: Relayer;
  readonly fees: FeeLimits;
  readonly clock: Clock;
  readonly limits: SenderLimits;
  /** Throws when another process writes the ledger by now. */
  readonly stillHolds: () => Promise<unknown>;
  readonly closing: AbortSignal;
};

export type SenderLimits = {
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** A transaction that is not mined is sent again this often; a node that is silent for so long is given up. */
  readonly resendMs: number;
  /** It is replaced by one with higher fees after so long. */
  readonly stuckMs: number;
};

/** Sends one transaction at a time from the ledger's relayer. */
export interface Sender {
  /**
   * Sends a call and follows it until one of its transactions is in a block. Null when its nonce was lost, or when the
   * writer is closing: whoever asked must then ask the contract what is recorded. Throws `WriterIssues` when nothing can
   * be sent or the node falls silent; what was sent may then still be mined.
   *
   * Nothing is written down before it is sent, as it is for payments: the contract takes everything once, so that it is
   * the journal. A transaction of an earlier life that is mined late does no harm.
   */
  send(call: LedgerCall): Promise<Mined | null>;
}

export function createSender(ports: SenderPorts): Sender {
  const { rpc, relayer, clock, limits, closing, fees: feeLimits } = ports;
  let nextNonce: number | null = null;
  /** The last one that was not seen in a block: it may be in the pool still, and its nonce has a price. */
  let given: JournaledTransaction | null = null;

  return {
    async send(call) {
      const nonce = await freeNonce();
      given =
        given && isOf(given, call, nonce) ? given : signCall(relayer, nonce, call, await feesFor(nonce));
      if (!(await submit(given))) return null;
      return follow(nonce, given);
    },
  };

  async function follow(nonce: number, first: JournaledTransaction): Promise<Mined | null> {
    let transactions: readonly JournaledTransaction[] = [first];
    let pauseMs = limits.pollMs;
    let wasLost = false;
    const started = clock.monotonicMs();
    let [sentAt, signedAt, answeredAt] = [started, started, started];
    while (!closing.aborted) {
      const mined = await findMined(rpc, transactions);
      if (mined.ok && mined.value !== null) {
        [nextNonce, given] = [nonce + 1, null];
        return mined.value;
      }
      const now = clock.monotonicMs();
      if (mined.ok) answeredAt = now;
      else if (now - answeredAt >= limits.resendMs) throw silent(mined.fault);
      const isLost = await isNonceLost(rpc, transactions);
      // Said twice, as a count from nowhere must not make a transaction forgotten that is still on its way.
      if (isLost && wasLost) return null;
      if (isLost) pauseMs = limits.pollMsMax;
      wasLost = isLost;
      if (now - sentAt >= limits.resendMs) {
        // A reorganisation may have opened a lower nonce again, and this one would wait for it without end.
        const count = await readMinedNonce(rpc, relayer.address);
        if (count.ok && count.value < nonce) return null;
        const [newest] = transactions;
        if (newest !== undefined) await submit(newest);
        sentAt = now;
      }
      if (now - signedAt >= limits.stuckMs) {
        transactions = await bump(transactions);
        [sentAt, signedAt] = [now, now];
      }
      await ports.stillHolds();
      await pause(pauseMs, closing);
      pauseMs = Math.min(pauseMs * 2, limits.pollMsMax);
    }
    return null;
  }

  /** From the chain's own count; one that was not expected is asked for twice. */
  async function freeNonce(): Promise<number> {
    const again = () => pause(limits.pollMsMax, closing);
    const count =
      nextNonce === null
        ? await readMinedNonce(rpc, relayer.address)
        : await readFreeNonce(rpc, relayer.address, nextNonce, again);
    if (!count.ok) throw silent(count.fault);
    nextNonce = count.value;
    return count.value;
  }

  /** What the chain asks now; where something of ours may hold the nonce, enough to take its place. */
  async function feesFor(nonce: number): Promise<Fees> {
    const current = await currentFees(rpc, feeLimits);
    if (!current.ok) throw silent(current.fault);
    if (given?.relayerNonce !== nonce) return current.value;
    const last = feesOf(given);
    return bumpedFees(last, current.value, feeLimits) ?? last;
  }

  /** Whether it is worth following: false where the nonce is used up. */
  async function submit(transaction: JournaledTransaction): Promise<boolean> {
    const sent = await broadcast(rpc, transaction);
    // An answer that was lost says nothing about what was sent.
    if (sent.ok || sent.fault.kind === 'unavailable') return true;
    const { message } = sent.fault;
    // Another transaction holds the nonce in the pool, one of an earlier life: it is mined, or outbid in time.
    if (/underpriced/i.test(message)) return true;
    if (/nonce too low/i.test(message)) return false;
    if (/insufficient funds/i.test(message))
      throw new WriterIssues(`the ledger's relayer ${relayer.address} has too little ether for gas`);
    throw new WriterIssues(`the ledger network does not take a transaction: ${message}`);
  }

  async function bump(
    transactions: readonly JournaledTransaction[],
  ): Promise<readonly JournaledTransaction[]> {
    const [newest] = transactions;
    const replacement = newest && (await replace(relayer, newest, rpc, feeLimits));
    if (!replacement) return transactions;
    given = replacement;
    await submit(replacement);
    return [replacement, ...transactions];
  }
}

function isOf({ raw, relayerNonce }: JournaledTransaction, { to, data }: LedgerCall, nonce: number): boolean {
  const transaction = Transaction.from(raw);
  return relayerNonce === nonce && transaction.to?.toLowerCase() === to && transaction.data === data;
}

function feesOf({ raw }: JournaledTransaction): Fees {
  const { maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(raw);
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) throw new Error('a transaction without fees');
  return { maxFeePerGas, maxPriorityFeePerGas };
}
