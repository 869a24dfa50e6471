import { createECDH, randomBytes } from 'node:crypto';
import { dataSlice, hexlify, keccak256, Wallet } from 'ethers';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import {
  type Authorization,
  type Beside,
  concealSignature,
  sealPayment,
  sealUnchecked,
  signAuthorization,
  type Twist,
} from './sign.ts';
import { authorizationFor, type Terms } from './terms.ts';

/** Faults to put into a payment. */
export type Spoiling = {
  /** Terms that differ from the offer. */
  readonly terms?: Terms;
  /** The payer that the payment names, instead of its signer, or made from the address of the signer. */
  readonly from?: string | ((signer: string) => string);
  readonly zeroByte?: ZeroByte;
  /** Deviations in the signed data. */
  readonly twist?: Twist;
  readonly beside?: Beside;
  /** Changes the payment after it is signed. */
  readonly edit?: (signed: Signed) => Sent;
};
/** The number of a payment whose first byte is zero, as it is in one of 256 payments. `from` is the address of the payer. */
export type ZeroByte = 'nonce' | 'r' | 's' | 'from';
export type Signed = { readonly authorization: Authorization; readonly signature: string };
export type Sent = Pick<Signed, 'authorization'> & { readonly signature?: unknown };

/** A signer without funds. It is created for one run and never stored. Zero bytes of `from` need a second one. */
export type Throwaway = {
  /** Creates the content of an `X-PAYMENT` that lacks only funds, apart from the requested faults. */
  pay(offer: Offer, nowSeconds: number, spoiling?: Spoiling): Promise<string>;
};

export function createThrowaway(secrets: Secrets): Throwaway {
  const usual = createWallet(randomKey(), secrets);
  let second: Wallet | undefined;
  return {
    async pay(offer, nowSeconds, spoiling = {}) {
      if (spoiling.zeroByte === 'from') second ??= createWallet(randomKeyOfZeroByte(), secrets);
      const wallet = (spoiling.zeroByte === 'from' && second) || usual;
      const { terms = 'exact', from: payer = wallet.address, twist, zeroByte, beside, edit } = spoiling;
      const from = typeof payer === 'string' ? payer : payer(wallet.address);
      const sign = async () => {
        const made = authorizationFor(terms, offer, from, nowSeconds);
        const nonce = zeroByte === 'nonce' ? `0x00${made.nonce.slice(4)}` : made.nonce;
        const authorization = { ...made, nonce };
        return { authorization, signature: await signAuthorization(wallet, offer, authorization, twist) };
      };
      let signed = await sign();
      for (let tries = 1; tries < triesMax && !beginsWithZero(signed, zeroByte); tries += 1)
        signed = await sign();
      const { authorization, signature } = signed;
      if (!edit && !beside) return sealPayment(authorization, signature, secrets).header;
      concealSignature(signature, secrets);
      const edited = edit?.(signed) ?? signed;
      return sealUnchecked(edited.authorization, edited.signature, secrets, beside);
    },
  };
}

/** Signatures until one begins with a zero byte. All of them fail once in ten million times. */
const triesMax = 4_096;

function beginsWithZero({ signature }: Signed, zeroByte: ZeroByte | undefined): boolean {
  if (zeroByte === 'r') return signature.startsWith('0x00');
  return zeroByte !== 's' || signature.slice(66, 68) === '00';
}

function createWallet(privateKey: string, secrets: Secrets): Wallet {
  secrets.conceal(privateKey, '<key>');
  secrets.conceal(privateKey.slice(2), '<key>');
  return new Wallet(privateKey);
}

/** A random key whose address begins with a zero byte. It takes 256 keys on average, so OpenSSL makes them. */
function randomKeyOfZeroByte(): string {
  const curve = createECDH('secp256k1');
  for (;;) {
    const publicKey = curve.generateKeys();
    if (dataSlice(keccak256(publicKey.subarray(1)), 12, 13) === '0x00')
      return `0x${curve.getPrivateKey('hex').padStart(64, '0')}`;
  }
}

/**
 * A random key whose address has small and capital letters. A few addresses in 10,000 lack one of them and could
 * not test letter case.
 */
function randomKey(): string {
  for (;;) {
    const key = hexlify(randomBytes(32));
    const { address } = new Wallet(key);
    if (/[a-f]/.test(address) && /[A-F]/.test(address)) return key;
  }
}
