import { chainId } from '@paid-inference/contract/constants';
import { Contract, formatUnits, type TransactionReceipt } from 'ethers';
import { nodeChainId, openProvider } from './chain-provider.ts';

/** The token's symbol and decimals, which an offer does not have. */
export type TokenTerms = { readonly symbol: string; readonly decimals: number };

/** The payment token, read from the chain, so that a receipt can be checked. */
export type Token = {
  terms(): Promise<TokenTerms>;
  /** The balance in the smallest unit, at the latest block. */
  balanceOf(holder: string): Promise<bigint>;
  /** Null when the chain has no such transaction. */
  transaction(hash: string): Promise<TransactionReceipt | null>;
  close(): void;
};

/** The digits of the largest amount of 256 bits, less one. */
const decimalsMax = 77;

const tokenAbi = [
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
];

/**
 * Opens a token at an RPC endpoint. Every call rejects when the chain fails; `describeFault` gives the reason.
 */
export function openToken(rpcUrl: string, asset: string): Token {
  const provider = openProvider(rpcUrl, chainId);
  const contract = new Contract(asset.toLowerCase(), tokenAbi, provider);
  const read = (name: string, ...given: readonly unknown[]): Promise<unknown> =>
    contract.getFunction(name)(...given);
  const checked = nodeChainId(provider).then(requirePaymentChain);
  // The first call awaits and reports the rejection. Without this handler Node ends the process before that.
  checked.catch(() => undefined);
  return {
    async terms() {
      await checked;
      const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
      if (Number(decimals) > decimalsMax)
        throw new Error(`the token has ${decimals} decimals, more than ${decimalsMax}`);
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

/** `12345 units (0.012345 TPT)`, or only the units when the token's terms are unknown. */
export function shownUnits(units: bigint | string, terms: TokenTerms | null): string {
  const shown = `${units} units`;
  return terms === null ? shown : `${shown} (${formatUnits(units, terms.decimals)} ${terms.symbol})`;
}

function requirePaymentChain(id: bigint): void {
  if (id !== BigInt(chainId))
    throw new Error(`the RPC endpoint is on chain ${id}, but payments are on ${chainId}`);
}
