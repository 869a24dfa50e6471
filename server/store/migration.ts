import type { LedgerChain } from './store.ts';

/** What an operator is told who starts an older program on a newer ledger. */
export function newerLedger(version: number, newestKnown: number): string {
  return `the ledger has version ${version}, this program knows versions up to ${newestKnown}: start a newer program`;
}

/** What an operator is told who points a gateway at the ledger of another chain or token (D-67). */
export function wrongChain(kept: LedgerChain, wanted: LedgerChain): string {
  return (
    `the ledger is that of token ${kept.asset} on chain ${kept.chainId}, and the gateway is set to token ${wanted.asset} ` +
    `on chain ${wanted.chainId}: give this chain a ledger of its own, or set the gateway back to the ledger's`
  );
}

export function isSameChain(one: LedgerChain, other: LedgerChain): boolean {
  return one.chainId === other.chainId && one.asset === other.asset;
}
