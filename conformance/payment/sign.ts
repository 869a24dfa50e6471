import { chainId } from '@paid-inference/contract/constants';
import { PaymentObject } from '@paid-inference/contract/validators';
import { type BaseWallet, type TypedDataDomain, type TypedDataField, verifyTypedData } from 'ethers';
import { encodeBase64Json } from '../wire/base64-json.ts';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';

/** EIP-3009 authorization in its wire form (§2.9). */
export type Authorization = {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: number;
  readonly validBefore: number;
  readonly nonce: string;
};

/** A payment that is ready to be sent (§2.10). */
export type Payment = {
  readonly authorization: Authorization;
  readonly signature: string;
  /** Content of `X-PAYMENT`. */
  readonly header: string;
};

/** Deviations from the contract in the signed data, which make the signature invalid. */
export type Twist = {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly primaryType?: string;
  /** Changes the signed domain, for example with a missing or an extra member. */
  readonly domain?: (domain: TypedDataDomain) => TypedDataDomain;
  /** The fields of the primary type. */
  readonly fields?: readonly TypedDataField[];
  /** Replaces EIP-712 by another signature scheme. */
  readonly scheme?: (wallet: BaseWallet, data: TypedData) => string | Promise<string>;
  /**
   * Values that are signed differently from those that are sent, as if the payment had been edited afterwards.
   */
  readonly authorization?: (sent: Authorization) => Partial<Authorization>;
};

/** A value with fewer digits is not treated as secret; a part of a signature has so few once in 2^128 times. */
const digitsMin = 32;

/** The data that EIP-712 hashes. */
export type TypedData = {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly message: Record<string, unknown>;
  /** The authorization as `X-PAYMENT` contains it. A mixed-case address stays as it is. */
  readonly sent: Authorization;
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
 * Signs an authorization as EIP-712 typed data. Domain, primary type and fields follow §4.4, step 4. They are not
 * the emitted ones, so that the suite is an independent witness.
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
  // Addresses are case-insensitive, but the signing library takes mixed case for a checksum.
  const signed = { ...authorization, ...twist.authorization?.(authorization) };
  const message = { ...signed, from: signed.from.toLowerCase(), to: signed.to.toLowerCase() };
  const types = { [twist.primaryType ?? 'TransferWithAuthorization']: [...(twist.fields ?? fields)] };
  return twist.scheme
    ? twist.scheme(wallet, { domain, types, message, sent: authorization })
    : wallet.signTypedData(domain, types, message);
}

/** The signer of an authorization for an offer, in lower case; undefined for an invalid signature. */
export function recoverSigner(
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
 * Creates the header of a valid payment, and conceals the header and the signature in all reports. Throws if
 * the validator rejects the payment, which is a fault of the suite.
 */
export function sealPayment(
  authorization: Authorization,
  signature: string,
  secrets: Secrets,
  blanks = 0,
): Payment {
  if (!PaymentObject({ payload: { signature, authorization } })) {
    throw new Error('the suite made an invalid payment object');
  }
  const header = sealUnchecked(authorization, signature, secrets, {}, blanks);
  return { authorization, signature, header };
}

/** Members of a payment beside its `payload`. */
export type Beside = Readonly<Record<string, unknown>>;

/** Creates the header of an invalid payment. It may lack the signature, or have one of another type. */
export function sealUnchecked(
  authorization: Authorization,
  signature: unknown,
  secrets: Secrets,
  beside: Beside = {},
  blanks = 0,
): string {
  // JSON leaves out undefined members.
  const header = encodeBase64Json({ ...beside, payload: { signature, authorization } }, blanks);
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (typeof signature === 'string') concealSignature(signature, secrets);
  secrets.conceal(
    header,
    `<payment of ${value} from ${from} to ${to}, valid ${validAfter} to ${validBefore}, nonce ${nonce}>`,
  );
  return header;
}

/**
 * Conceals a signature, and each of its two numbers, because both together are the signature. A number with few
 * digits is not concealed, because it occurs in other places.
 */
export function concealSignature(signature: string, secrets: Secrets): void {
  const digits = signature.replace(/^0x/, '');
  // `conceal` finds a secret with and without its prefix.
  for (const text of [signature, digits.slice(0, 64), digits.slice(64, 128)]) {
    if (text.replace(/^(0x)?0*/, '').length >= digitsMin) secrets.conceal(text, '<signature>');
  }
}
