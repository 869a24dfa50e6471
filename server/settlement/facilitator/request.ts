import { mimeType, network, scheme, tokenDomainVersion } from '@paid-inference/contract/constants';
import type { X402V1Option, X402V2Option, X402V2Resource } from '@paid-inference/contract/types';
import { isWalletSignature, readWalletSignature } from '../../chain/wallet-signature.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { X402Version } from './facilitator.ts';

/** The data that every payment of a deployment shares in a call of the facilitator. */
export type FacilitatorTerms = {
  /** The URL that clients use for the gateway. */
  readonly publicBaseUrl: string;
  readonly tokenName: string;
  readonly offerValiditySeconds: number;
};

/** The name of our network in each version of the protocol. */
export const networkNames = { 1: 'base-sepolia', 2: network } as const satisfies Record<
  X402Version,
  X402V1Option['network'] | X402V2Option['network']
>;

/** A wildcard that facilitators use, although CAIP-2 has none. */
export const everyEvmChain = 'eip155:*';

/**
 * Builds the body of `/verify` and `/settle` from the stored payment only, so that it is the same after a
 * crash.
 */
export function facilitatorRequest(
  version: X402Version,
  payment: PaymentRecord,
  terms: FacilitatorTerms,
): object {
  return version === 1 ? requestV1(payment, terms) : requestV2(payment, terms);
}

function requestV1(payment: PaymentRecord, terms: FacilitatorTerms): object {
  const paymentRequirements: X402V1Option = {
    scheme,
    network: networkNames[1],
    maxAmountRequired: payment.authorization.value.toString(),
    resource: terms.publicBaseUrl,
    description,
    mimeType,
    payTo: payment.authorization.to,
    maxTimeoutSeconds: terms.offerValiditySeconds,
    asset: payment.asset,
    extra: { name: terms.tokenName, version: tokenDomainVersion },
  };
  const paymentPayload = { x402Version: 1, scheme, network: networkNames[1], payload: buildPayload(payment) };
  return { x402Version: 1, paymentPayload, paymentRequirements };
}

function requestV2(payment: PaymentRecord, terms: FacilitatorTerms): object {
  const paymentRequirements: X402V2Option = {
    scheme,
    network: networkNames[2],
    amount: payment.authorization.value.toString(),
    asset: payment.asset,
    payTo: payment.authorization.to,
    maxTimeoutSeconds: terms.offerValiditySeconds,
    extra: { name: terms.tokenName, version: tokenDomainVersion },
  };
  const resource: X402V2Resource = { url: terms.publicBaseUrl, description, mimeType };
  const paymentPayload = {
    x402Version: 2,
    resource,
    accepted: paymentRequirements,
    payload: buildPayload(payment),
  };
  return { x402Version: 2, paymentPayload, paymentRequirements };
}

/** The store does not record which endpoint a payment was for, and the signature does not cover it. */
const description = 'Chat or text completion';

/** All six values are strings in both versions, also the two times. */
function buildPayload({ authorization, signature }: PaymentRecord): object {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    // For a key, v as the token needs it, however the client wrote it (D-04).
    signature: isWalletSignature(signature)
      ? readWalletSignature(signature)
      : `${signature.slice(0, 130)}${/(01|1c)$/.test(signature) ? '1c' : '1b'}`,
    authorization: {
      from,
      to,
      value: value.toString(),
      validAfter: validAfter.toString(),
      validBefore: validBefore.toString(),
      nonce,
    },
  };
}
