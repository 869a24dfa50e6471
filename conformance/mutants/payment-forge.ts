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

import { encoded, headerNamed, type Json, objectIn, readPayment, without } from './wire-edits.ts';

/** Changes of the data over which a mutant verifies a signature. */
export type Reading = {
  readonly domain?: (domain: TypedDataDomain) => TypedDataDomain;
  readonly authorization?: (authorization: Json) => Json;
  readonly signature?: (signature: string) => string;
  readonly primaryType?: string;
  readonly fields?: readonly TypedDataField[];
  /** Replaces the EIP-712 digest. */
  readonly digest?: (data: ReadData) => string;
};

/** The input of EIP-712, as a gateway reads it. */
export type ReadData = {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly message: Json;
  /** The authorization as `X-PAYMENT` contains it. */
  readonly sent: Json;
};

/**
 * Makes payments for the edge. To simulate a gateway that accepts an invalid payment, the edge swaps in a valid
 * one: of a random account without funds if only the signature was invalid, of the payer if the mutant serves
 * the request.
 */
export type PaymentForge = {
  /** Address of the payer with funds, in lower case. */
  readonly payer: string;
  readonly nowSeconds: number;
  /** The request with a valid payment, or unchanged if the gateway makes no offer for it. */
  paidBy(whom: 'payer' | 'stranger', asked: Asked): Promise<Asked>;
  /** Pays for the request from the payer with funds, and returns the response. */
  buy(asked: Asked): Promise<Reply>;
  /** The address that signed the payment under the given reading, in lower case; undefined if there is none. */
  recoverSigner(asked: Asked, reading?: Reading): Promise<string | undefined>;
};

const field = (type: string) => (name: string) => ({ name, type });
export const fields: readonly TypedDataField[] = [
  ...['from', 'to'].map(field('address')),
  ...['value', 'validAfter', 'validBefore'].map(field('uint256')),
  field('bytes32')('nonce'),
];
const primaryTypeSigned = 'TransferWithAuthorization';

export function createPaymentForge(payerKey: string, ask: (asked: Asked) => Promise<Reply>): PaymentForge {
  const wallets = { payer: new Wallet(payerKey), stranger: new Wallet(hexlify(randomBytes(32))) };

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
      const signature = await wallet.signTypedData(buildDomain(offer), types, authorization);
      const header = encoded({ payload: { signature, authorization } });
      return { ...asked, headers: { ...asked.headers, 'x-payment': header } };
    },

    buy: async (asked) => ask(await forge.paidBy('payer', asked)),

    async recoverSigner(asked, reading = {}) {
      const payment = readPayment(asked);
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
      const over = domain(buildDomain(offer));
      try {
        const signed = digest({ domain: over, types, message, sent: payment.authorization });
        return recoverAddress(signed, signature(payment.signature)).toLowerCase();
      } catch {
        return undefined;
      }
    },
  };
  return forge;
}

function buildDomain(offer: Json): TypedDataDomain {
  const { name, version } = offer['extra'] as { readonly name: string; readonly version: string };
  return { name, version, chainId: 84_532, verifyingContract: String(offer['asset']).toLowerCase() };
}

function hashed({ domain, types, message }: ReadData): string {
  return TypedDataEncoder.hash(domain, types, message);
}

function same<T>(value: T): T {
  return value;
}
