import type { StoreChain } from './store.ts';

/** A sound store that this program or its settings do not fit. The message says what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** The error for the operator who starts an older program on a newer store. A new store would lack its completions. */
export function newerStore(version: number, newestKnown: number): StoreRefused {
  return new StoreRefused(
    `the store has version ${version}, and this program supports versions up to ${newestKnown}. ` +
      'Start the newer version again, because payers can still ask for the completions in this store',
  );
}

/** The error for the operator who points a gateway at the store of another chain or token (D-67). */
export function wrongChain(kept: StoreChain, wanted: StoreChain): StoreRefused {
  return new StoreRefused(
    `the store belongs to token ${kept.asset} on chain ${kept.chainId}, and the gateway is set to token ${wanted.asset} ` +
      `on chain ${wanted.chainId}. Give this chain its own store, or set the gateway to the chain and token of the store`,
  );
}

export function isSameChain(one: StoreChain, other: StoreChain): boolean {
  return one.chainId === other.chainId && one.asset === other.asset;
}
