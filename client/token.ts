import { chainId } from '@paid-inference/contract/constants';
import { Contract, FetchRequest, formatUnits, JsonRpcProvider, type TransactionReceipt } from 'ethers';

/** How the token writes its amounts; an offer does not say it. */
export type TokenTerms = { readonly symbol: string; readonly decimals: number };

/** The payment token, read from the chain itself: what a receipt claims is then seen and not believed. */
export type Token = {
  terms(): Promise<TokenTerms>;
  /** In the smallest unit, at the latest block. */
  balanceOf(holder: string): Promise<bigint>;
  /** Null where the chain knows no such transaction. */
  transaction(hash: string): Promise<TransactionReceipt | null>;
  close(): void;
};

/** Longest that one call of the chain may take. */
const callTimeoutMs = 10_000;

const tokenAbi = [
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
];

/** Opens a token at an RPC endpoint. Every call rejects when the chain does not answer; `faultOf` says why. */
export function openToken(rpcUrl: string, asset: string): Token {
  const request = new FetchRequest(rpcUrl);
  request.timeout = callTimeoutMs;
  const provider = new JsonRpcProvider(request, chainId, {
    staticNetwork: true,
    // Two balances may be asked for within the quarter of a second that ethers would keep the first.
    cacheTimeout: -1,
    batchMaxCount: 1,
  });
  const contract = new Contract(asset.toLowerCase(), tokenAbi, provider);
  const read = (name: string, ...given: readonly unknown[]): Promise<unknown> =>
    contract.getFunction(name)(...given);
  const checked = requireChain(provider);
  // Whoever calls first is told; until then nobody has been.
  checked.catch(() => undefined);
  return {
    async terms() {
      await checked;
      const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
      return { symbol: String(symbol), decimals: Number(decimals) };
    },
    async balanceOf(holder) {
      await checked;
      return BigInt(String(await read('balanceOf', holder)));
    },
    async transaction(hash) {
      await checked;
      return provider.getTransactionReceipt(hash);
    },
    close: () => provider.destroy(),
  };
}

/** `12345 units (0.012345 TPT)`; units alone where the token's terms are not known. */
export function shownUnits(units: bigint | string, terms: TokenTerms | null): string {
  const shown = `${units} units`;
  return terms === null ? shown : `${shown} (${formatUnits(units, terms.decimals)} ${terms.symbol})`;
}

/** Why the chain did not answer, without the endpoint's URL: there may be a key in it. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if ('shortMessage' in error && typeof error.shortMessage === 'string') return error.shortMessage;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message;
}

async function requireChain(provider: JsonRpcProvider): Promise<void> {
  const id = BigInt(String(await provider.send('eth_chainId', [])));
  if (id !== BigInt(chainId))
    throw new Error(`the RPC endpoint is of chain ${id}, payments are on ${chainId}`);
}
