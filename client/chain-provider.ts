import { FetchRequest, JsonRpcProvider, makeError } from 'ethers';

/** Longest that one call of a chain may take. */
const callTimeoutMs = 10_000;

/**
 * A node of the chain with this id. Nothing is asked before the first call, and whose node it is `nodeChainId` says:
 * ethers itself would go on asking for ever where no node answers.
 */
export function openProvider(rpcUrl: string, chainId: number): JsonRpcProvider {
  const request = new FetchRequest(rpcUrl);
  request.timeout = callTimeoutMs;
  return new JsonRpcProvider(request, chainId, {
    staticNetwork: true,
    // Two balances may be asked for within the quarter of a second that ethers would keep the first.
    cacheTimeout: -1,
    batchMaxCount: 1,
  });
}

/** The id that the node itself names. Rejects when it does not answer, or not with an id; `faultOf` says why. */
export async function nodeChainId(provider: JsonRpcProvider): Promise<bigint> {
  const answer: unknown = await provider.send('eth_chainId', []);
  // Only a quantity counts: BigInt would read an empty list as chain 0.
  if (typeof answer === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(answer)) return BigInt(answer);
  throw makeError('the id of its chain cannot be read', 'BAD_DATA', { value: null });
}

/** Why a chain did not answer, without the endpoint's URL: there may be a key in it. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if ('shortMessage' in error && typeof error.shortMessage === 'string') return error.shortMessage;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message;
}
