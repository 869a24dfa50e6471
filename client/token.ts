import { chainId } from '@paid-inference/contract/constants';
import { Contract, formatUnits, type TransactionReceipt } from 'ethers';
import { nodeChainId, openProvider } from './chain-provider.ts';

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

/** Of an amount of 256 bits. */
const decimalsMax = 77;

const tokenAbi = [
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
];

/** Opens a token at an RPC endpoint. Every call rejects when the chain does not answer; `faultOf` says why. */
export function openToken(rpcUrl: string, asset: string): Token {
  const provider = openProvider(rpcUrl, chainId);
  const contract = new Contract(asset.toLowerCase(), tokenAbi, provider);
  const read = (name: string, ...given: readonly unknown[]): Promise<unknown> =>
    contract.getFunction(name)(...given);
  const checked = nodeChainId(provider).then(requirePaymentChain);
  // Whoever calls first is told; until then nobody has been.
  checked.catch(() => undefined);
  return {
    async terms() {
      await checked;
      const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
      if (Number(decimals) > decimalsMax) throw new Error('the token has more decimals than any amount');
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

function requirePaymentChain(id: bigint): void {
  if (id !== BigInt(chainId))
    throw new Error(`the RPC endpoint is of chain ${id}, payments are on ${chainId}`);
}
