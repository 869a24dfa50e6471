import {
  hexlify,
  randomBytes,
  recoverAddress,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
  Wallet,
} from 'ethers';
import type { Asked, Reply } from './message.ts';

import { encoded, headerNamed, type Json, objectIn, paymentOf, without } from './wire-edits.ts';

/** What a signature is taken to be over, instead of what the contract says. */
export type Reading = {
  readonly domain?: (domain: TypedDataDomain) => TypedDataDomain;
  readonly authorization?: (authorization: Json) => Json;
  readonly signature?: (signature: string) => string;
  readonly primaryType?: string;
  readonly fields?: readonly TypedDataField[];
  /** What is signed in the place of the digest of EIP-712. */
  readonly digest?: (data: ReadData) => string;
};

/** What EIP-712 hashes, as a gateway reads it. */
export type ReadData = {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly message: Json;
};

/**
 * Payments of the edge's own. A gateway that takes a bad payment for good is one that gets to read a good payment in its place:
 * by a stranger who owns nothing where only the signature was bad, by the payer where the payment would be served.
 */
export type PaymentForge = {
  /** Address of the payer with funds, in lower case. */
  readonly payer: string;
  readonly nowSeconds: number;
  /** The request with a good payment; as it is, where the gateway makes no offer for it. */
  paidBy(whom: 'payer' | 'stranger', asked: Asked): Promise<Asked>;
  /** The answer to the request, paid for by the payer once more. */
  buy(asked: Asked): Promise<Reply>;
  /** Whoever signed the payment of a request, if it is read so; in lower case. */
  signerOf(asked: Asked, reading?: Reading): Promise<string | undefined>;
};

const field = (type: string) => (name: string) => ({ name, type });
export const fields: readonly TypedDataField[] = [
  ...['from', 'to'].map(field('address')),
  ...['value', 'validAfter', 'validBefore'].map(field('uint256')),
  field('bytes32')('nonce'),
];
const primaryTypeSigned = 'TransferWithAuthorization';

export function createPaymentForge(payerKey: string, ask: (asked: Asked) => Promise<Reply>): PaymentForge {
  const wallets = { payer: new Wallet(payerKey), stranger: Wallet.createRandom() };

  async function offerFor(asked: Asked): Promise<Json | undefined> {
    const reply = await ask({ ...asked, headers: without(asked.headers, 'x-payment') });
    return objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
  }

  const forge: PaymentForge = {
    payer: wallets.payer.address.toLowerCase(),
    get nowSeconds() {
      return Math.floor(Date.now() / 1000);
    },
    async paidBy(whom, asked) {
      const wallet = wallets[whom];
      const offer = await offerFor(asked);
      if (!offer) return asked;
      const authorization = {
        from: wallet.address.toLowerCase(),
        to: String(offer['payTo']).toLowerCase(),
        value: String(offer['maxAmountRequired']),
        validAfter: 0,
        validBefore: forge.nowSeconds + Number(offer['maxTimeoutSeconds']),
        nonce: hexlify(randomBytes(32)),
      };
      const types = { [primaryTypeSigned]: [...fields] };
      const signature = await wallet.signTypedData(domainOf(offer), types, authorization);
      const header = encoded({ payload: { signature, authorization } });
      return { ...asked, headers: { ...asked.headers, 'x-payment': header } };
    },

    buy: async (asked) => ask(await forge.paidBy('payer', asked)),

    async signerOf(asked, reading = {}) {
      const payment = paymentOf(asked);
      const offer = await offerFor(asked);
      if (!payment || !offer) return undefined;
      const { domain = same, authorization = same, signature = same } = reading;
      const types = { [reading.primaryType ?? primaryTypeSigned]: [...(reading.fields ?? fields)] };
      const { digest = hashed } = reading;
      const message = authorization({
        ...payment.authorization,
        from: String(payment.authorization['from']).toLowerCase(),
        to: String(payment.authorization['to']).toLowerCase(),
      });
      const over = domain(domainOf(offer));
      try {
        const signed = digest({ domain: over, types, message });
        return recoverAddress(signed, signature(payment.signature)).toLowerCase();
      } catch {
        return undefined;
      }
    },
  };
  return forge;
}

function domainOf(offer: Json): TypedDataDomain {
  const { name, version } = offer['extra'] as { readonly name: string; readonly version: string };
  return { name, version, chainId: 84_532, verifyingContract: String(offer['asset']).toLowerCase() };
}

function hashed({ domain, types, message }: ReadData): string {
  return TypedDataEncoder.hash(domain, types, message);
}

function same<T>(value: T): T {
  return value;
}
