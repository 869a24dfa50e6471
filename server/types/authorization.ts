import type { Address, AtomicAmount, Bytes32 } from './units.ts';

/**
 * The message that a payer signs: move `value` of the token from `from` to `to`, once, inside this window
 * (contract §2.9, EIP-3009 `transferWithAuthorization`). Each field went through its parser, so hashing and
 * packing need no checks. The type does not prove that a signature belongs to the message.
 */
export type Authorization = {
  readonly from: Address;
  readonly to: Address;
  readonly value: AtomicAmount;
  /**
   * Unix seconds; the token accepts the authorization only in a later block. It is a bigint, because the payer
   * signs a uint256, and values beyond any clock must be hashed as signed.
   */
  readonly validAfter: bigint;
  /** Unix seconds; the token accepts the authorization only in an earlier block. */
  readonly validBefore: bigint;
  /** The payer chooses it at random. The token accepts each nonce once per payer (D-18). */
  readonly nonce: Bytes32;
};
