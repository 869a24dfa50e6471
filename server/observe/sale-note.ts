import type { SettlementType } from '@paid-inference/contract/types';
import type { Address, Bytes32 } from '../types/units.ts';

/**
 * What the log line of a request says of the sale. It has no field for a prompt, a completion, a signature or a whole
 * address, so that none of them can be handed to the log.
 */
export type SaleNote = {
  /** As the catalog has it. */
  readonly model?: string;
  /** In the token's smallest unit. */
  readonly price?: string;
  readonly settlementType?: SettlementType;
  readonly payer?: ShortAddress;
  readonly transaction?: Bytes32;
  readonly replayed?: true;
};

/** Enough to find a payer on the chain when one has it already, and no more: `0x1234…abcd`. */
export type ShortAddress = `0x${string}…${string}`;

export function shortAddress(address: Address): ShortAddress {
  return `0x${address.slice(2, 6)}…${address.slice(-4)}`;
}
