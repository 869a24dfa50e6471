import type { StoreChain } from './store.ts';

/** What an operator is told who starts an older program on a newer store. */
export function newerStore(version: number, newestKnown: number): string {
  return `the store has version ${version}, this program knows versions up to ${newestKnown}: start a newer program`;
}

/** What an operator is told who points a gateway at the store of another chain or token (D-67). */
export function wrongChain(kept: StoreChain, wanted: StoreChain): string {
  return (
    `the store is that of token ${kept.asset} on chain ${kept.chainId}, and the gateway is set to token ${wanted.asset} ` +
    `on chain ${wanted.chainId}: give this chain a store of its own, or set the gateway back to the store's`
  );
}

export function isSameChain(one: StoreChain, other: StoreChain): boolean {
  return one.chainId === other.chainId && one.asset === other.asset;
}
