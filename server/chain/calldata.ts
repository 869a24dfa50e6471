import type { Authorization } from '../types/authorization.ts';
import { type Address, type Bytes32, type Hex, parseBytes32 } from '../types/units.ts';
import { bytesTail, encodeValues } from './abi.ts';
import { isWalletSignature, readWalletSignature } from './wallet-signature.ts';
import { addressWord, bytes32Word, uint256Word } from './word.ts';

/** A signature in the three parts for the token's function. `s` is in the lower half of the curve's order. */
export type SignatureParts = { readonly v: 27 | 28; readonly r: Bytes32; readonly s: Bytes32 };

/**
 * The call that settles one payment (EIP-3009). Any account may send it, because the token checks the signature
 * and not the sender. It is packed by hand: a batch holds a hundred calls, and a generic encoder was most of
 * their cost.
 */
export function transferWithAuthorizationCalldata(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  { v, r, s }: SignatureParts,
): Hex {
  return `${selector.transferWithAuthorization}${addressWord(from)}${addressWord(to)}${uint256Word(value)}${uint256Word(validAfter)}${uint256Word(validBefore)}${bytes32Word(nonce)}${uint256Word(BigInt(v))}${bytes32Word(r)}${bytes32Word(s)}` as Hex;
}

/**
 * The same call for a contract wallet, in the overload of FiatToken v2.2: the token passes the signature on to the
 * code of the payer (ERC-1271).
 */
export function walletTransferCalldata(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  signature: Hex,
): Hex {
  const words = [addressWord(from), addressWord(to), ...[value, validAfter, validBefore].map(uint256Word)];
  const values = [...words, bytes32Word(nonce), bytesTail(signature.slice(2))];
  return `${selector.walletTransfer}${encodeValues(values)}` as Hex;
}

/** The call for a kept signature. For that of a key, `v` is 27 or 28 on the chain in any case (D-04). */
export function signedTransferCalldata(authorization: Authorization, signature: Hex): Hex {
  if (isWalletSignature(signature))
    return walletTransferCalldata(authorization, readWalletSignature(signature));
  const [r, s] = [parseBytes32(signature.slice(0, 66)), parseBytes32(`0x${signature.slice(66, 130)}`)];
  const v = Number.parseInt(signature.slice(130), 16);
  if (r === null || s === null) throw new Error('a stored signature is not 65 bytes');
  return transferWithAuthorizationCalldata(authorization, { v: v === 1 || v === 28 ? 28 : 27, r, s });
}

/** An ordinary transfer of the caller's own tokens (ERC-20). */
export function transferCalldata(to: Address, value: bigint): Hex {
  return `${selector.transfer}${addressWord(to)}${uint256Word(value)}` as Hex;
}

export function balanceOfCalldata(holder: Address): Hex {
  return `${selector.balanceOf}${addressWord(holder)}` as Hex;
}

/** Asks whether the payer's nonce is spent, by a payment or by a cancellation. */
export function authorizationStateCalldata(payer: Address, nonce: Bytes32): Hex {
  return `${selector.authorizationState}${addressWord(payer)}${bytes32Word(nonce)}` as Hex;
}

export function domainSeparatorCalldata(): Hex {
  return selector.domainSeparator as Hex;
}

/** The first four bytes of each signature's hash; the tests compute them again. */
const selector = {
  transferWithAuthorization: '0xe3ee160e',
  walletTransfer: '0xcf092995',
  transfer: '0xa9059cbb',
  balanceOf: '0x70a08231',
  authorizationState: '0xe94a0102',
  domainSeparator: '0x3644e515',
} as const;
