import { SigningKey, Transaction } from 'ethers';
import { type Address, type Bytes32, type Hex, parseBytes32, parseHex } from '../types/units.ts';

/** An EIP-1559 transaction. What depends on the chain's state, nonce, gas and fees, is the caller's to decide. */
export type UnsignedTransaction = {
  readonly chainId: number;
  /** The sender's own counter, not a payment's nonce. */
  readonly nonce: number;
  /** Null to deploy the contract whose creation code `data` is. */
  readonly to: Address | null;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei per gas, tip included. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

export type SignedTransaction = {
  /** What `eth_sendRawTransaction` takes. Sending it twice is sending it once. */
  readonly raw: Hex;
  /** Known before sending, so that it can be written down first. */
  readonly hash: Bytes32;
};

/** Signs with the relayer's key. The same input gives the same bytes (RFC 6979). Throws on what cannot be encoded. */
export function signTransaction(privateKey: Bytes32, unsigned: UnsignedTransaction): SignedTransaction {
  const transaction = Transaction.from({ type: 2, ...unsigned });
  transaction.signature = new SigningKey(privateKey).sign(transaction.unsignedHash);
  const raw = parseHex(transaction.serialized);
  const hash = parseBytes32(transaction.hash ?? '');
  if (raw === null || hash === null) throw new Error('a signed transaction has bytes and a hash');
  return { raw, hash };
}

/** One transaction that settles payments, and the gas that it may use; `to` is null for a batch. */
export type TransactionCall = { readonly to: Address | null; readonly data: Hex; readonly gasLimit: bigint };
