import { chainId } from '@paid-inference/contract/constants';
import { PaymentObject } from '@paid-inference/contract/validators';
import { type BaseWallet, type TypedDataDomain, type TypedDataField, verifyTypedData } from 'ethers';
import { encodeBase64Json } from '../wire/base64-json.ts';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';

/** EIP-3009 authorization as it stands on the wire (contract 2.9). */
export type Authorization = {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: number;
  readonly validBefore: number;
  readonly nonce: string;
};

/** A payment ready to be sent (contract 2.10). */
export type Payment = {
  readonly authorization: Authorization;
  readonly signature: string;
  /** Content of `X-PAYMENT`. */
  readonly header: string;
};

/** What is signed otherwise than the contract says, so that the signature is invalid. */
export type Twist = {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly primaryType?: string;
  /** The whole domain that is signed for: a member of it may be missing, or be one too many. */
  readonly domain?: (domain: TypedDataDomain) => TypedDataDomain;
  /** The fields of the primary type. */
  readonly fields?: readonly TypedDataField[];
  /** How the signature is made, instead of by EIP-712. */
  readonly scheme?: (wallet: BaseWallet, data: TypedData) => string | Promise<string>;
  /** What of an authorization is signed otherwise than it is sent: as if it had been edited since. */
  readonly authorization?: (sent: Authorization) => Partial<Authorization>;
};

/** A number of the curve has fewer digits once in 2^128 times. */
const digitsMin = 32;

/** What EIP-712 hashes. */
export type TypedData = {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly message: Record<string, unknown>;
};

export const fields: readonly TypedDataField[] = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

/**
 * Signs an authorization as EIP-712 typed data. Domain, primary type and fields are written out from contract 4.4,
 * step 4, not taken from the emitted ones: two witnesses.
 */
export async function signAuthorization(
  wallet: BaseWallet,
  offer: Offer,
  authorization: Authorization,
  twist: Twist = {},
): Promise<string> {
  const { domain: changed = (domain: TypedDataDomain) => domain } = twist;
  const domain = changed({
    name: twist.name ?? offer.domainName,
    version: twist.version ?? offer.domainVersion,
    chainId: twist.chainId ?? chainId,
    verifyingContract: twist.verifyingContract ?? offer.asset.toLowerCase(),
  });
  // Letter case carries no meaning in an address, but the signing library takes mixed case for a checksum.
  const signed = { ...authorization, ...twist.authorization?.(authorization) };
  const message = { ...signed, from: signed.from.toLowerCase(), to: signed.to.toLowerCase() };
  const types = { [twist.primaryType ?? 'TransferWithAuthorization']: [...(twist.fields ?? fields)] };
  return twist.scheme
    ? twist.scheme(wallet, { domain, types, message })
    : wallet.signTypedData(domain, types, message);
}

/** Whoever signed an authorization for an offer, in lower case; undefined where the signature is nobody's. */
export function signerOf(
  offer: Offer,
  { authorization, signature }: Pick<Payment, 'authorization' | 'signature'>,
): string | undefined {
  const { domainName: name, domainVersion: version, asset } = offer;
  const message = {
    ...authorization,
    from: authorization.from.toLowerCase(),
    to: authorization.to.toLowerCase(),
  };
  try {
    return verifyTypedData(
      { name, version, chainId, verifyingContract: asset.toLowerCase() },
      { TransferWithAuthorization: [...fields] },
      message,
      signature,
    ).toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * Makes the header of a payment that the contract allows, and keeps it and its signature out of everything that is
 * written down. A payment that its validator rejects is a fault of this suite, and thrown.
 */
export function sealPayment(authorization: Authorization, signature: string, secrets: Secrets): Payment {
  if (!PaymentObject({ payload: { signature, authorization } })) {
    throw new Error('the suite made an invalid payment object');
  }
  return { authorization, signature, header: sealUnchecked(authorization, signature, secrets) };
}

/** Makes the header of a payment that is wrong on purpose, perhaps for want of a signature. */
export function sealUnchecked(
  authorization: Authorization,
  signature: string | undefined,
  secrets: Secrets,
): string {
  // A member that is undefined is left out of JSON.
  const header = encodeBase64Json({ payload: { signature, authorization } });
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (signature !== undefined) concealSignature(signature, secrets);
  secrets.conceal(
    header,
    `<payment of ${value} from ${from} to ${to}, valid ${validAfter} to ${validBefore}, nonce ${nonce}>`,
  );
  return header;
}

/**
 * Whole, and in its two numbers: whoever has those has the signature. What has almost no digits is nobody's secret, and as a
 * number it stands everywhere.
 */
export function concealSignature(signature: string, secrets: Secrets): void {
  const digits = signature.replace(/^0x/, '');
  // What is known with its prefix is known without it too.
  for (const text of [signature, digits.slice(0, 64), digits.slice(64, 128)]) {
    if (text.replace(/^(0x)?0*/, '').length >= digitsMin) secrets.conceal(text, '<signature>');
  }
}
