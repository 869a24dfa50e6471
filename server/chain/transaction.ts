import { type Address, type Bytes32, type Hex, parseAddress } from '../types/units.ts';
import { fromDigits, toBytes32 } from './bytes.ts';
import { curve } from './curve.ts';
import { keccak256 } from './keccak.ts';
import { readRlpList, rlpBytes, rlpList, rlpNumber } from './rlp.ts';

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

/**
 * Signs with the relayer's key. The same input gives the same bytes (RFC 6979). Throws for invalid fields. The
 * bytes are packed by hand, because signing with a general library was a fifth of the main thread's work.
 */
export function signTransaction(privateKey: Bytes32, unsigned: UnsignedTransaction): SignedTransaction {
  const fields = listFields(unsigned);
  const digest = keccak256(typed(fields));
  const { signature, recid } = curve.ecdsaSign(digest, fromDigits(privateKey.slice(2)));
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) =>
    rlpNumber(BigInt(toBytes32(half))),
  );
  const raw = typed([...fields, rlpNumber(BigInt(recid)), r ?? '', s ?? '']);
  return { raw: `0x${raw.toString('hex')}` as Hex, hash: toBytes32(keccak256(raw)) };
}

/** The first byte of an EIP-1559 transaction. */
const type = '02';

function typed(fields: readonly string[]): Buffer {
  return fromDigits(type + rlpList(fields));
}

/** The fields that are signed, in the order of EIP-1559. */
function listFields(unsigned: UnsignedTransaction): readonly string[] {
  const { chainId, nonce, to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = unsigned;
  if (maxPriorityFeePerGas > maxFeePerGas) throw new Error('the tip is higher than the fee');
  if (to !== null && to.length !== 42) throw new Error('the called contract is not an address');
  return [
    ...[BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(rlpNumber),
    rlpBytes(to?.slice(2) ?? ''),
    rlpNumber(0n),
    rlpBytes(data.slice(2)),
    rlpList([]),
  ];
}

/** Reads the fields of a transaction that `signTransaction` made. Throws for other bytes. */
export function readTransaction(raw: Hex): UnsignedTransaction {
  const items = raw.startsWith(`0x${type}`) ? readRlpList(raw.slice(4)) : [];
  const [chainId, nonce, tip, fee, gasLimit, to, value, data, accessList] = items;
  if (items.length !== 12 || to === undefined || value !== '' || data === undefined || accessList !== '')
    throw new Error('the bytes are not a transaction of the gateway');
  const number = (digits = '') => BigInt(`0x${digits || '0'}`);
  return {
    chainId: Number(number(chainId)),
    nonce: Number(number(nonce)),
    to: to === '' ? null : parseAddress(`0x${to}`),
    data: `0x${data}` as Hex,
    gasLimit: number(gasLimit),
    maxFeePerGas: number(fee),
    maxPriorityFeePerGas: number(tip),
  };
}

/** One transaction that settles payments, and its gas limit. `to` is null for a batch. */
export type TransactionCall = { readonly to: Address | null; readonly data: Hex; readonly gasLimit: bigint };
