import type { IncomingHttpHeaders } from 'node:http';
import { mimeType, primaryType } from '@paid-inference/contract/constants';
import { verifyTypedData } from 'ethers';
import type { Offer } from '../payment/offer.ts';
import { fields } from '../payment/sign.ts';
import { decodeJson, encodeBase64Json, member } from '../wire/base64-json.ts';

/** An authorization as a client sent it. Addresses and nonce are in lower case. */
type SentAuthorization = {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: string;
};

export type SentPayment = {
  readonly authorization: SentAuthorization;
  readonly signature: string;
  /** The content of the header. */
  readonly text: string;
};

/** The content of `X-PAYMENT-RESPONSE` (§2.11), with the names of x402 clients. */
export type Receipt = {
  readonly success: boolean;
  readonly network: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly transaction: string;
  readonly payer: string;
};

/** The names of x402 v1 for networks. */
const namesOfV1: Readonly<Record<string, string>> = {
  'eip155:84532': 'base-sepolia',
  'eip155:8453': 'base',
};

/** Headers and body of a 402 with an offer: the form of the contract, of x402 v1 and of x402 v2. */
export function writeOffer(offer: Offer, error: string) {
  const { scheme, network, resource, payTo, maxTimeoutSeconds, asset } = offer;
  const amount = offer.maxAmountRequired.toString();
  const extra = { name: offer.domainName, version: offer.domainVersion };
  const description = 'One completion';
  const requirements = {
    scheme,
    network,
    maxAmountRequired: amount,
    resource,
    description,
    mimeType,
    payTo,
    maxTimeoutSeconds,
    asset,
    extra,
  };
  const option = {
    scheme,
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds,
    extra: { ...extra, primaryType },
  };
  return {
    headers: {
      'X-PAYMENT-REQUIRED': encodeBase64Json(requirements),
      'PAYMENT-REQUIRED': encodeBase64Json({
        x402Version: 2,
        error,
        resource: { url: resource, description, mimeType },
        accepts: [option],
      }),
    },
    body: {
      x402Version: 1,
      error,
      accepts: [{ ...requirements, network: namesOfV1[network] ?? network }],
      message: error,
    },
  };
}

export function writeReceipt(receipt: Receipt): Readonly<Record<string, string>> {
  const text = encodeBase64Json(receipt);
  return { 'X-PAYMENT-RESPONSE': text, 'PAYMENT-RESPONSE': text };
}

/** Reads a payment of the contract, of x402 v1 or of x402 v2; undefined without a payment header. */
export function readPayment(headers: IncomingHttpHeaders): SentPayment | 'unreadable' | undefined {
  return readPayments(headers)[0];
}

/** Reads the payments in all headers. One authorization in both headers is one payment. */
export function readPayments(headers: IncomingHttpHeaders): readonly (SentPayment | 'unreadable')[] {
  const payments = [headers['x-payment'], headers['payment-signature']]
    .filter((text) => text !== undefined)
    .map(readText);
  const [first, second] = payments;
  const isSame =
    typeof first === 'object' && typeof second === 'object' && identify(first) === identify(second);
  return isSame ? payments.slice(0, 1) : payments;
}

function readText(text: string | readonly string[]): SentPayment | 'unreadable' {
  if (typeof text !== 'string') return 'unreadable';
  // Node also reads the URL-safe alphabet.
  const decoded = decodeJson(Buffer.from(text, 'base64'));
  if (!decoded.ok) return 'unreadable';
  const payload = member(decoded.value, 'payload');
  const [signature, said] = [member(payload, 'signature'), member(payload, 'authorization')];
  const [from, to] = [readHex(member(said, 'from'), 20), readHex(member(said, 'to'), 20)];
  const nonce = readHex(member(said, 'nonce'), 32);
  const value = readNumber(member(said, 'value'));
  const validAfter = readNumber(member(said, 'validAfter'));
  const validBefore = readNumber(member(said, 'validBefore'));
  if (typeof signature !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(signature)) return 'unreadable';
  if (from === undefined || to === undefined || nonce === undefined) return 'unreadable';
  if (value === undefined || validAfter === undefined || validBefore === undefined) return 'unreadable';
  return { authorization: { from, to, value, validAfter, validBefore, nonce }, signature, text };
}

/** The same for the same authorization. A wallet may sign one authorization twice; the token takes it once. */
export function identify({ authorization }: SentPayment): string {
  return Object.values(authorization).join(' ');
}

function readHex(value: unknown, bytes: number): string | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]*$/i.test(value)) return undefined;
  return value.length === 2 + 2 * bytes ? value.toLowerCase() : undefined;
}

/** A decimal string or an integer. Clients send both. */
function readNumber(value: unknown): bigint | undefined {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const isText = typeof value === 'string' && /^\d{1,78}$/.test(value);
  return isNumber || isText ? BigInt(value) : undefined;
}

/** Whether the payer signed the authorization for the token and the chain of the offer (§4.4, step 4). */
export function isSignedFor(offer: Offer, { authorization, signature }: SentPayment): boolean {
  const { domainName: name, domainVersion: version, asset: verifyingContract, network } = offer;
  const chainId = BigInt(network.replace(/^eip155:/, ''));
  const domain = { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() };
  try {
    const types = { [primaryType]: [...fields] };
    return verifyTypedData(domain, types, authorization, signature).toLowerCase() === authorization.from;
  } catch {
    return false;
  }
}
