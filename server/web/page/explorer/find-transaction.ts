import { chainId } from '@paid-inference/contract/constants';
import { FetchRequest, JsonRpcProvider } from 'ethers';
import { nodeUrls } from '../nodes.ts';
import type { FoundTransaction } from './transfers.ts';

/** Timeout of one call. Without one, ethers waits for five minutes. */
const callTimeoutMs = 10_000;

/** Reads a transaction and its block; null when the node does not have it. Throws when the node does not respond. */
export async function findTransaction(hash: string): Promise<FoundTransaction | null> {
  const request = new FetchRequest(nodeUrls().chainRpcUrl);
  request.timeout = callTimeoutMs;
  // The visitor tries again, and sees the reason meanwhile.
  request.setThrottleParams({ maxAttempts: 1 });
  const provider = new JsonRpcProvider(request, chainId, {
    staticNetwork: true,
    batchMaxCount: 1,
    cacheTimeout: -1,
  });
  try {
    return await find(provider, hash);
  } catch (cause) {
    throw new Error(describe(cause), { cause });
  } finally {
    provider.destroy();
  }
}

async function find(provider: JsonRpcProvider, hash: string): Promise<FoundTransaction | null> {
  const receipt = await provider.getTransactionReceipt(hash);
  if (receipt === null) return null;
  if (receipt.hash.toLowerCase() !== hash.toLowerCase())
    throw new Error('The node returned another transaction');
  const [block, head] = await Promise.all([
    provider.getBlock(receipt.blockNumber),
    provider.getBlockNumber(),
  ]);
  if (block === null) return null;
  return { receipt, minedAt: block.timestamp, confirmations: head - receipt.blockNumber + 1 };
}

/** The error of the gateway, or the short form of an error of ethers, whose long form has the whole request. */
function describe(cause: unknown): string {
  const { info, shortMessage, message } = Object(cause);
  try {
    return String(JSON.parse(info.responseBody).error.message);
  } catch {
    return String(shortMessage ?? message ?? cause);
  }
}
