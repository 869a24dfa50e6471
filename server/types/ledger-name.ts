import type { Address } from './units.ts';

/** The name of a proof ledger in the store and in the log: the id of its chain, and its contract. */
export type LedgerName = `${number}:${Address}`;

export function nameLedger(chainId: number, contract: Address): LedgerName {
  return `${chainId}:${contract}`;
}
