import { FetchRequest, JsonRpcProvider, makeError } from 'ethers';

/** Timeout of one JSON-RPC call. */
const callTimeoutMs = 10_000;

/**
 * Opens an RPC endpoint of the chain with this id. It sends nothing before the first call.
 * The network is static because ethers otherwise asks an endpoint that is down for its id without end.
 */
export function openProvider(rpcUrl: string, chainId: number): JsonRpcProvider {
  const request = new FetchRequest(rpcUrl);
  request.timeout = callTimeoutMs;
  return new JsonRpcProvider(request, chainId, {
    staticNetwork: true,
    // Without this, ethers returns the same balance for a quarter of a second.
    cacheTimeout: -1,
    batchMaxCount: 1,
  });
}

/**
 * The chain id that the node returns. Rejects when the node is down or returns no id; `describeFault` gives the
 * reason.
 */
export async function nodeChainId(provider: JsonRpcProvider): Promise<bigint> {
  const response: unknown = await provider.send('eth_chainId', []);
  // Only a hex quantity counts: BigInt reads an empty list as chain 0.
  if (typeof response === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(response)) return BigInt(response);
  throw makeError('it returned no chain id', 'BAD_DATA', { value: null });
}

/** The reason why a chain call failed, without the endpoint's URL, because the URL may hold a key. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if ('shortMessage' in error && typeof error.shortMessage === 'string') return error.shortMessage;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message;
}
