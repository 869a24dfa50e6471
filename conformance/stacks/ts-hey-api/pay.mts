import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import type { PaymentAuthorization, PaymentObject, PaymentRequirements } from './generated/index.ts';

type Hex = `0x${string}`;

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The EIP-712 data of an authorization (contract §4.4, step 4). */
export function typedData(offer: PaymentRequirements, authorization: PaymentAuthorization) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    domain: { ...offer.extra, chainId: 84532, verifyingContract: offer.asset as Hex },
    types,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as Hex,
      to: to as Hex,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  } as const;
}

/** Signs a payment for an offer, and returns the value of `X-PAYMENT`. `more` is added to the signed amount only. */
export async function pay(key: string, offer: PaymentRequirements, now: Date, more = 0n): Promise<string> {
  const account = privateKeyToAccount(key as Hex);
  const authorization: PaymentAuthorization = {
    from: account.address,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: 0,
    validBefore: Math.floor(now.getTime() / 1000) + offer.maxTimeoutSeconds,
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const value = (BigInt(authorization.value) + more).toString();
  const signature = await account.signTypedData(typedData(offer, { ...authorization, value }));
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
