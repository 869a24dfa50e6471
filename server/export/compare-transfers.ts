import { readMined } from '../chain/chain-view.ts';
import { listIncoming } from '../chain/incoming.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { listReceived, type ReceivedTransfer } from '../chain/token-logs.ts';
import type { StoreReader } from '../store/reader.ts';
import { type PaymentState, pendingStates } from '../types/payment-states.ts';
import { ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { isCharged } from './rows.ts';

export type TransferComparison = {
  readonly rpc: Rpc;
  readonly store: Pick<StoreReader, 'find'>;
  readonly asset: Address;
  readonly recipient: Address;
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Gets each difference as a sentence. */
  readonly report: (difference: string) => void;
};

/** How many transfers were compared. `open`: the store has yet to see the transfer of its payment. */
export type ComparedTransfers = { readonly transfers: number; readonly open: number };

/** Finds the payment of each transfer to the recipient in a range of blocks. Counts no transfer of zero tokens. */
export async function compareTransfers(
  comparison: TransferComparison,
): Promise<Result<ComparedTransfers, RpcFault>> {
  const { rpc, asset, recipient, fromBlock, toBlock, report } = comparison;
  let [transfers, open] = [0, 0];
  for await (const page of listIncoming(rpc, { asset, recipient }, fromBlock, toBlock)) {
    if (!page.ok) return page;
    for (const txHash of page.value) {
      const mined = await readMined(rpc, txHash);
      if (!mined.ok) return mined;
      // A reorganisation removed the transaction since its log was read.
      for (const transfer of listReceived(mined.value?.logs ?? [], asset, recipient)) {
        if (transfer.value === 0n) continue;
        transfers += 1;
        const difference = await findDifference(comparison, transfer, txHash);
        if (difference === 'open') open += 1;
        else if (difference !== null) report(difference);
      }
    }
  }
  return ok({ transfers, open });
}

async function findDifference(
  { store, asset }: TransferComparison,
  { from, value, authorization }: ReceivedTransfer,
  txHash: Bytes32,
): Promise<string | 'open' | null> {
  const start = `the transaction ${txHash} moved ${value} from ${from},`;
  if (authorization === null) return `${start} without an authorization, so no payment is for it`;
  const payment = await store.find(asset, authorization.payer, authorization.nonce);
  if (payment === null) return `${start} and this store has no payment with the nonce ${authorization.nonce}`;
  const { id, state, failure } = payment;
  const pending: readonly PaymentState[] = pendingStates;
  if (pending.includes(state)) return 'open';
  if (!isCharged(payment))
    return `${start} and payment ${id} is ${state}${failure === null ? '' : ` (${failure})`}. Pay the payer back`;
  if (payment.authorization.value !== value)
    return `${start} and payment ${id} is for ${payment.authorization.value}`;
  return payment.txHash === txHash
    ? null
    : `${start} and payment ${id} names the transaction ${payment.txHash}`;
}
