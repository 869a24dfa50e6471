import type { Address, AtomicAmount, Bytes32 } from './units.ts';

/**
 * The message a payer signs: "move `value` of the token from me to `to`, once, inside this window"
 * (contract §2.9, EIP-3009 `transferWithAuthorization`). Every field went through its parser, so that hashing and
 * packing need no check of their own. That a signature belongs to it is a later step's proof, not this type's.
 */
export type Authorization = {
  readonly from: Address;
  readonly to: Address;
  readonly value: AtomicAmount;
  /**
   * Unix seconds; the token takes the authorization only in a block later than this. A bigint, because the payer
   * signs a uint256 and a value that no clock reaches must still be hashed as it was signed.
   */
  readonly validAfter: bigint;
  /** Unix seconds; the token takes the authorization only in a block earlier than this. */
  readonly validBefore: bigint;
  /** Chosen at random by the payer; the token takes each one once per payer (decision D-18). */
  readonly nonce: Bytes32;
};
