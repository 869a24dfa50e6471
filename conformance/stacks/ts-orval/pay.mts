import { hexlify, randomBytes, type TypedDataDomain, type TypedDataField, Wallet } from 'ethers';
import type { PaymentAuthorization, PaymentObject, PaymentRequirements } from './generated/gateway.ts';

/** The fields of the primary type (contract §4.4, step 4). */
export const types: Record<string, TypedDataField[]> = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

export function domainFor({ asset, extra }: PaymentRequirements): TypedDataDomain {
  return { name: extra.name, version: extra.version, chainId: 84532, verifyingContract: asset };
}

/** Signs a payment for an offer, and returns the value of `X-PAYMENT`. `more` is added to the signed amount only. */
export async function pay(key: string, offer: PaymentRequirements, now: Date, more = 0n): Promise<string> {
  const wallet = new Wallet(key);
  const authorization: PaymentAuthorization = {
    from: wallet.address,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: 0,
    validBefore: Math.floor(now.getTime() / 1000) + offer.maxTimeoutSeconds,
    nonce: hexlify(randomBytes(32)),
  };
  const signed = { ...authorization, value: BigInt(authorization.value) + more };
  const signature = await wallet.signTypedData(domainFor(offer), types, signed);
  return encode({ payload: { signature, authorization } });
}

export function encode(payment: PaymentObject): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

/** Decodes a header of the contract: base64 of JSON. */
export function decode<T>(header: string | null): T {
  if (header === null) throw new Error('The header is missing');
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}
