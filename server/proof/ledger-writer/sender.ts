import { type Mined, readMinedNonce } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { readTransaction } from '../../chain/transaction.ts';
import { bumpedFees, currentFees, type FeeLimits, type Fees } from '../../relayer/fees.ts';
import { type FollowLimits, followNonce } from '../../relayer/follow.ts';
import { broadcast, type Relayer, readFreeNonce, replace, signCall } from '../../relayer/nonce.ts';
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
  /** Throws when another process writes to the proof ledger now. */
  readonly stillHolds: () => Promise<unknown>;
  readonly closing: AbortSignal;
};

/** The sender gives up when the node does not respond for `resendMs`. */
export type SenderLimits = FollowLimits;

/** Sends one transaction at a time from the relayer of the proof ledger. */
export interface Sender {
  /**
   * Sends a call and follows it until one of its transactions is in a block. Null when another transaction used
   * its nonce, or when the writer is closing: the caller must then ask the contract what is recorded. Throws
   * `WriterIssues` when nothing can be sent or the node does not respond; a sent transaction may then still be
   * mined.
   *
   * Unlike for payments, nothing is written to the store before it is sent. The contract accepts everything
   * once and thus is the journal. A late transaction of an earlier process does no harm.
   */
  send(call: LedgerCall): Promise<Mined | null>;
}

/**
 * The last transaction that was not seen in a block. The pool may still have it, so its nonce needs higher
 * fees.
 */
type Given = { transaction: JournaledTransaction | null };

export function createSender(ports: SenderPorts): Sender {
  const { rpc, relayer, limits, closing } = ports;
  let nextNonce: number | null = null;
  const given: Given = { transaction: null };

  return {
    async send(call) {
      const nonce = await readNonce();
      const last = given.transaction;
      const transaction =
        last && isSameCall(last, call, nonce)
          ? last
          : signCall(relayer, nonce, call, await feesFor(nonce, last, ports));
      given.transaction = transaction;
      if (!(await submit(transaction, ports))) return null;
      const mined = await follow(nonce, given, transaction, ports);
      if (mined !== null) nextNonce = nonce + 1;
      return mined;
    },
  };

  /** Reads the nonce from the chain. Asks twice when the nonce is unexpected. */
  async function readNonce(): Promise<number> {
    const again = () => pause(limits.pollMsMax, closing);
    const count =
      nextNonce === null
        ? await readMinedNonce(rpc, relayer.address)
        : await readFreeNonce(rpc, relayer.address, nextNonce, again);
    if (!count.ok) throw silent(count.fault);
    nextNonce = count.value;
    return count.value;
  }
}

async function follow(
  nonce: number,
  given: Given,
  first: JournaledTransaction,
  ports: SenderPorts,
): Promise<Mined | null> {
  const { rpc, relayer, limits, fees } = ports;
  const followed = await followNonce([first], {
    ...ports,
    onSilence: (fault, silentMs) => {
      if (silentMs >= limits.resendMs) throw silent(fault);
    },
    mayResend: async () => {
      // A reorganisation may have opened a lower nonce again. Then this transaction would wait for it forever.
      const count = await readMinedNonce(rpc, relayer.address);
      return !count.ok || count.value >= nonce;
    },
    send: async (transaction) => {
      await submit(transaction, ports);
      return true;
    },
    replace: async (newest) => {
      const replacement = await replace(relayer, newest, rpc, fees);
      if (!replacement) return null;
      given.transaction = replacement;
      await submit(replacement, ports);
      return replacement;
    },
  });
  if (followed.kind !== 'mined') return null;
  given.transaction = null;
  return followed.mined;
}

/** Returns the current fees, or fees that are high enough to replace our transaction of the same nonce. */
async function feesFor(
  nonce: number,
  last: JournaledTransaction | null,
  { rpc, fees }: SenderPorts,
): Promise<Fees> {
  const current = await currentFees(rpc, fees);
  if (!current.ok) throw silent(current.fault);
  if (last?.relayerNonce !== nonce) return current.value;
  const lastFees = readTransaction(last.raw);
  return bumpedFees(lastFees, current.value, fees) ?? lastFees;
}

/** Sends a transaction. False when its nonce is used up, so that there is nothing to follow. */
async function submit(transaction: JournaledTransaction, { rpc, relayer }: SenderPorts): Promise<boolean> {
  const sent = await broadcast(rpc, transaction);
  // After a lost response the transaction may have been sent.
  if (sent.ok || sent.fault.kind === 'unavailable') return true;
  const { message } = sent.fault;
  // The pool has a transaction of an earlier process with this nonce: it is mined, or replaced later.
  if (/underpriced/i.test(message)) return true;
  if (/nonce too low/i.test(message)) return false;
  if (/insufficient funds/i.test(message))
    throw new WriterIssues(`the ledger's relayer ${relayer.address} has too little ether for gas`);
  throw new WriterIssues(`the proof ledger's node rejected a transaction: ${message}`);
}

function isSameCall(
  { raw, relayerNonce }: JournaledTransaction,
  { to, data }: LedgerCall,
  nonce: number,
): boolean {
  const transaction = readTransaction(raw);
  return relayerNonce === nonce && transaction.to === to && transaction.data === data;
}
