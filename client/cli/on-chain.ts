import { chainId } from '@paid-inference/contract/constants';
import type { JsonRpcProvider, TransactionReceipt } from 'ethers';
import { describeFault, nodeChainId, openProvider } from '../chain-provider.ts';
import { systemClock } from '../clock.ts';
import type { PaidResult } from '../result.ts';
import { readTransfers } from '../transfer-events.ts';
import type { CommandContext, PurchaseOptions } from './settings.ts';

/** A node may lag behind the gateway's node by a block or two. */
const readsMax = 5;
const betweenReadsMs = 1_000;

/**
 * Checks the receipt of a purchase on the chain, if there is an RPC endpoint. The transaction must use the signed
 * nonce and move the signed value. Otherwise, the result has no receipt, and its `receiptFault` gives the reason.
 */
export async function checkOnChain<Completion>(
  result: PaidResult<Completion>,
  { rpc }: Pick<PurchaseOptions, 'rpc'>,
  { signal }: Pick<CommandContext, 'signal'>,
): Promise<PaidResult<Completion>> {
  if (rpc === undefined || result.kind !== 'completion' || result.payment.state !== 'settled') return result;
  const { authorization, receipt } = result.payment;
  const receiptFault = await findFault(rpc, receipt.txHash, authorization, signal);
  if (receiptFault === null) return result;
  return { ...result, receipt: null, receiptFault, payment: { state: 'maybe-charged', authorization } };
}

async function findFault(
  rpc: string,
  hash: string,
  authorization: Parameters<typeof readTransfers>[1],
  signal: AbortSignal,
): Promise<string | null> {
  const provider = openProvider(rpc, chainId);
  try {
    const id = await nodeChainId(provider);
    if (id !== BigInt(chainId)) return `the RPC endpoint is on chain ${id}, but payments are on ${chainId}`;
    const transaction = await readTransaction(provider, hash, signal);
    if (transaction === null) return `the RPC endpoint does not know the transaction ${hash}`;
    const { movedAt } = readTransfers(transaction.logs, authorization);
    return movedAt.length > 0 ? null : `the transaction ${hash} is not this payment`;
  } catch (error) {
    return `the transaction ${hash} cannot be checked: ${describeFault(error)}`;
  } finally {
    provider.destroy();
  }
}

async function readTransaction(
  provider: JsonRpcProvider,
  hash: string,
  signal: AbortSignal,
): Promise<TransactionReceipt | null> {
  for (let reads = 1; ; reads += 1) {
    const transaction = await provider.getTransactionReceipt(hash);
    if (transaction !== null || reads === readsMax || signal.aborted) return transaction;
    await systemClock.waitMs(betweenReadsMs, signal);
  }
}
