import { getBytes, type SignatureLike, SigningKey, Transaction } from 'ethers';
import { type Address, type Bytes32, type Hex, parseBytes32, parseHex } from '../types/units.ts';
import { toHex } from './bytes.ts';
import { loadNativeCurve } from './native-curve.ts';

/** An EIP-1559 transaction. The caller decides nonce, gas and fees. */
export type UnsignedTransaction = {
  readonly chainId: number;
  /** The sender's transaction count, not a payment's nonce. */
  readonly nonce: number;
  /** The called contract; null to deploy the contract whose creation code `data` is. */
  readonly to: Address | null;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei per gas, tip included. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

export type SignedTransaction = {
  /** The input of `eth_sendRawTransaction`. Sending it twice has the effect of sending it once. */
  readonly raw: Hex;
  /** Known before sending, so that the store can hold it first. */
  readonly hash: Bytes32;
};

const curve = await loadNativeCurve();

/** Signs with the relayer's key. The same input gives the same bytes (RFC 6979). Throws for invalid fields. */
export function signTransaction(privateKey: Bytes32, unsigned: UnsignedTransaction): SignedTransaction {
  const transaction = Transaction.from({ type: 2, ...unsigned });
  transaction.signature = signHash(privateKey, transaction.unsignedHash);
  const raw = parseHex(transaction.serialized);
  const hash = parseBytes32(transaction.hash ?? '');
  if (raw === null || hash === null) throw new Error('the signed transaction has no bytes or no hash');
  return { raw, hash };
}

/** Both ways give the same bytes. Libsecp256k1 is about twenty times as fast. */
function signHash(privateKey: Bytes32, hash: string): SignatureLike {
  if (curve === null) return new SigningKey(privateKey).sign(hash);
  const { signature, recid } = curve.ecdsaSign(getBytes(hash), getBytes(privateKey));
  return { r: toHex(signature.subarray(0, 32)), s: toHex(signature.subarray(32)), v: 27 + recid };
}

/** One transaction that settles payments, and its gas limit. `to` is null for a batch. */
export type TransactionCall = { readonly to: Address | null; readonly data: Hex; readonly gasLimit: bigint };
