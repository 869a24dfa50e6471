import type { SettlementType } from '@paid-inference/contract/types';
import type { Address, Bytes32 } from '../types/units.ts';

/**
 * The fields of a sale in the log line of a request. It has no field for a prompt, a completion, a signature or
 * a whole address, so the log cannot get them.
 */
export type SaleNote = {
  /** The id in the catalog. */
  readonly model?: string;
  /** In the token's smallest unit. */
  readonly price?: string;
  readonly settlementType?: SettlementType;
  readonly payer?: ShortAddress;
  readonly transaction?: Bytes32;
  readonly replayed?: true;
};

/** Identifies a payer whose address is known, and reveals no more: `0x1234…abcd`. */
export type ShortAddress = `0x${string}…${string}`;

export function shortAddress(address: Address): ShortAddress {
  return `0x${address.slice(2, 6)}…${address.slice(-4)}`;
}
