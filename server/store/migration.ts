import type { StoreChain } from './store.ts';

/** The error for the operator who starts an older program on a newer store. */
export function newerStore(version: number, newestKnown: number): string {
  return `the store has version ${version}, and this program supports versions up to ${newestKnown}. Start a newer program`;
}

/** The error for the operator who points a gateway at the store of another chain or token (D-67). */
export function wrongChain(kept: StoreChain, wanted: StoreChain): string {
  return (
    `the store belongs to token ${kept.asset} on chain ${kept.chainId}, and the gateway is set to token ${wanted.asset} ` +
    `on chain ${wanted.chainId}. Give this chain its own store, or set the gateway to the chain and token of the store`
  );
}

export function isSameChain(one: StoreChain, other: StoreChain): boolean {
  return one.chainId === other.chainId && one.asset === other.asset;
}
