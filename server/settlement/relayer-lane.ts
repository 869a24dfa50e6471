import { chainId } from '@paid-inference/contract/constants';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { type SignedTransaction, signTransaction } from '../chain/transaction.ts';
import type { JournaledTransaction, Store } from '../store/store.ts';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import type { Address, Bytes32, Hex } from '../vocabulary/units.ts';
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
}

/**
 * Allocates nonces itself. A counter that a library increments whether or not the node took the transaction leaves a
 * gap that nothing behind it can pass; here a refusal puts the lane back to what the chain says.
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
  };

  async function sendInTurn(
    paymentId: number,
    to: Address,
    data: Hex,
    gasLimit: bigint,
  ): Promise<Result<Bytes32, RpcFault>> {
    const nonce = await allocate();
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
    // An outage says nothing about whether the node has it, so the nonce counts as used.
    nextNonce = sent.ok || sent.fault.kind === 'unavailable' ? nonce.value + 1 : null;
    return sent;
  }

  async function allocate(): Promise<Result<number, RpcFault>> {
    if (nextNonce !== null) return ok(nextNonce);
    const count = await rpc.call<unknown>('eth_getTransactionCount', [relayer, 'pending']);
    if (!count.ok) return count;
    if (typeof count.value !== 'string' || !/^0x[0-9a-f]+$/i.test(count.value)) {
      return fail({ kind: 'unavailable', message: 'the node gives no transaction count' });
    }
    return ok(Number(count.value));
  }

  async function resend(transaction: SignedTransaction): Promise<Result<Bytes32, RpcFault>> {
    const sent = await rpc.call<unknown>('eth_sendRawTransaction', [transaction.raw]);
    if (sent.ok || isKnown(sent.fault)) return ok(transaction.hash);
    return sent;
  }
}

/** Nodes word it differently: the transaction is in the pool or on the chain already. */
function isKnown(fault: RpcFault): boolean {
  return fault.kind === 'refused' && /already known|already imported|known transaction/i.test(fault.message);
}
