import { chainId } from '@paid-inference/contract/constants';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { type SignedTransaction, signTransaction } from '../chain/transaction.ts';
import type { JournaledTransaction, Store } from '../store/store.ts';
import { ok, type Result } from '../vocabulary/result.ts';
import type { Address, Bytes32, Hex } from '../vocabulary/units.ts';
import { readQuantity } from './chain-view.ts';
import { currentFees, type FeeLimits } from './fees.ts';

export type LaneOptions = {
  readonly rpc: Rpc;
  readonly store: Store;
  readonly relayerKey: Bytes32;
  readonly relayer: Address;
  readonly fees: FeeLimits;
};

/** One relayer key. Transactions leave it one after the other, each with the next nonce. */
export interface RelayerLane {
  /** Signs a call, writes it down, and sends it. `refused` means that the node did not take it. */
  send(paymentId: number, to: Address, data: Hex, gasLimit: bigint): Promise<Result<Bytes32, RpcFault>>;
  /** Sends a journaled transaction again; a node that has it already is content. */
  resend(transaction: JournaledTransaction): Promise<Result<Bytes32, RpcFault>>;
  /** Whether the chain has used up a transaction's nonce, be it for this transaction or for another one. */
  isNonceUsed(transaction: JournaledTransaction): Promise<Result<boolean, RpcFault>>;
}

/**
 * Allocates nonces itself. A counter that a library increments whether or not the node took the transaction leaves a
 * gap that nothing behind it can pass; here everything but a clear yes puts the lane back to what the chain says. Two
 * payments may then share a nonce: one of them is mined, and whoever follows the other has it sent under the next one.
 */
export function createRelayerLane({ rpc, store, relayerKey, relayer, fees }: LaneOptions): RelayerLane {
  let nextNonce: number | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  return {
    send(paymentId, to, data, gasLimit) {
      const turn = tail.then(() => sendInTurn(paymentId, to, data, gasLimit));
      tail = turn.catch(() => undefined);
      return turn;
    },
    resend,
    async isNonceUsed({ relayerNonce }) {
      const used = await transactionCount('latest');
      return used.ok ? ok(used.value > relayerNonce) : used;
    },
  };

  async function sendInTurn(
    paymentId: number,
    to: Address,
    data: Hex,
    gasLimit: bigint,
  ): Promise<Result<Bytes32, RpcFault>> {
    const nonce = nextNonce === null ? await transactionCount('pending') : ok(nextNonce);
    if (!nonce.ok) return nonce;
    const price = await currentFees(rpc, fees);
    if (!price.ok) return price;
    const signed = signTransaction(relayerKey, {
      chainId,
      nonce: nonce.value,
      to,
      data,
      gasLimit,
      ...price.value,
    });
    const journaled = { ...signed, relayer, relayerNonce: nonce.value };
    // On disk before it is on the wire: after a crash the same bytes can be sent again, and only those.
    await store.submit(paymentId, journaled);
    const sent = await resend(journaled);
    // After an outage nobody knows whether the node has it: only the chain can say which nonce is the next.
    nextNonce = sent.ok ? nonce.value + 1 : null;
    return sent;
  }

  async function transactionCount(block: 'latest' | 'pending'): Promise<Result<number, RpcFault>> {
    const count = await readQuantity(rpc, 'eth_getTransactionCount', [relayer, block]);
    return count.ok ? ok(Number(count.value)) : count;
  }

  async function resend(transaction: SignedTransaction): Promise<Result<Bytes32, RpcFault>> {
    const sent = await rpc.call<unknown>('eth_sendRawTransaction', [transaction.raw]);
    if (sent.ok || isKnown(sent.fault)) return ok(transaction.hash);
    return sent;
  }
}

/** Nodes word it differently: the transaction is in the pool or on the chain already. */
function isKnown(fault: RpcFault): boolean {
  return fault.kind === 'refused' && /already ?known|already imported|known transaction/i.test(fault.message);
}
