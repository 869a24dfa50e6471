import { randomBytes } from 'node:crypto';
import { chainId } from '@paid-inference/contract/constants';
import { AbiCoder, getAddress, hexlify, ZeroAddress } from 'ethers';
import type { JudgedId } from '../../context/check.ts';
import type { Offer } from '../../payment/offer.ts';
import type { Authorization, Twist } from '../../payment/sign.ts';
import { type Spoil, withByteChanged } from '../../sources/throwaway-source.ts';
import { otherTypedData } from './other-typed-data.ts';
import type { SignatureFault } from './signature-fault.ts';

export const byAnother: SignatureFault = {
  requirement: 'signature.other-signer',
  words: 'A signature by another than `from`',
  spoil: () => ({ from: randomAddress() }),
};

/** In the letters of its checksum. One in 4,000 has no capital letter, and some gateways treat that differently: it is drawn again. */
function randomAddress(): string {
  for (;;) {
    const address = getAddress(hexlify(randomBytes(20)));
    if (address !== address.toLowerCase()) return address;
  }
}

/**
 * Signatures that are invalid, each for one reason (contract 4.4, 5). What is sent is in all but its signature what the offer
 * asks for: of an authorization it is the signature that is over something else, since a `to` or `value` edited after it
 * would break a rule of its own (2.9), and could be refused for that (D-119).
 */
export const signatureFaults: readonly SignatureFault[] = [
  byAnother,
  edited('nonce', ({ nonce }) => ({ nonce: lastByteFlipped(nonce) })),
  edited('to', ({ to }) => ({ to: lastByteFlipped(to.toLowerCase()) })),
  // A unit less, so that the signature is for less than is sent; where nothing is asked for, there is no less.
  edited('value', ({ value }) => ({ value: value === '0' ? '1' : (BigInt(value) - 1n).toString() })),
  edited('validAfter', ({ validAfter }) => ({ validAfter: validAfter - 1 })),
  edited('validBefore', ({ validBefore }) => ({ validBefore: validBefore - 1 })),
  otherDomain('signature.domain.name', '`name`', ({ domainName }) => ({ name: `${domainName} Two` })),
  otherDomain('signature.domain.version', '`version`', ({ domainVersion }) => ({
    version: `${domainVersion}0`,
  })),
  otherDomain('signature.domain.chainId', '`chainId`', () => ({ chainId: chainId + 1 })),
  otherDomain('signature.domain.verifyingContract', '`verifyingContract`', ({ asset }) => ({
    verifyingContract: lastByteFlipped(asset.toLowerCase()),
  })),
  {
    requirement: 'signature.primary-type',
    words: 'A signature over another primary type',
    spoil: () => ({ twist: { primaryType: 'ReceiveWithAuthorization' } }),
  },
  {
    requirement: 'signature.malformed',
    words: 'A signature with the other `v`',
    spoil: signedAs((signature) => signature.slice(0, -2) + (isOfV27(signature) ? '1c' : '1b')),
  },
  ...otherTypedData,
];

/** Payments that nobody has signed (contract 2.10). */
export const unsigned: Readonly<Record<string, Spoil>> = {
  'A payment without `payload.signature`': () => ({ edit: ({ authorization }) => ({ authorization }) }),
  'A payment with an empty `payload.signature`': () => ({
    edit: ({ authorization }) => ({ authorization, signature: '' }),
  }),
};

/** No point of the curve has this `r`, so a signature with it recovers no address. */
const strangeR = '5'.padStart(64, '0');

/**
 * Signatures of no form that an EIP-712 signature has. Each is invalid however it is read: as the short form of EIP-2098, without
 * its prefix, with a `v` that other schemes have, or as contracts sign (D-168, D-182).
 */
export const malformedSignatures: Readonly<Record<string, Spoil>> = {
  'A signature of zeros': signedAs(() => `0x${'00'.repeat(65)}`),
  'A signature of no bytes': signedAs(() => '0x'),
  'A signature of 64 bytes': signedAs(shortOfOther),
  'A signature with a byte after it': signedAs((signature) => `${signature}00`),
  'A signature with a byte changed, in the form of ERC-6492': signedAs(asOfContract),
  'Five signatures in one, each with a byte changed': signedAs(
    (signature) => `0x${withByteChanged(signature).slice(2).repeat(5)}`,
  ),
  'A signature with a byte changed and without `0x`': signedAs((signature) =>
    withByteChanged(signature).slice(2),
  ),
  'A signature that is no hex': signedAs((signature) => `0xzz${signature.slice(4)}`),
  'A signature with a `v` of 29 or 30': signedAs(
    // Where the even ones are taken for 28 and the odd ones for 27, it is the other one.
    (signature) => signature.slice(0, -2) + (isOfV27(signature) ? '1e' : '1d'),
  ),
  'A signature that recovers no address, of the zero address': () => ({
    from: ZeroAddress,
    edit: ({ authorization }) => ({
      authorization,
      signature: `0x${strangeR}${'5a'.repeat(32)}1b`,
    }),
  }),
};

function signedAs(change: (signature: string) => string): Spoil {
  return () => ({
    edit: ({ authorization, signature }) => ({ authorization, signature: change(signature) }),
  });
}

function isOfV27(signature: string): boolean {
  return signature.endsWith('1b');
}

/** `r` and `s` with the bit of the other `v`, as EIP-2098 writes it into the first bit of `s`. */
function shortOfOther(signature: string): string {
  const first = Number.parseInt(signature.slice(66, 68), 16) | (isOfV27(signature) ? 0x80 : 0);
  return signature.slice(0, 66) + first.toString(16).padStart(2, '0') + signature.slice(68, 130);
}

/** As a contract that is not there yet has it (ERC-6492): its factory, the call that makes it, the signature, and a mark. */
function asOfContract(signature: string): string {
  const parts = [ZeroAddress, '0x', withByteChanged(signature)];
  return AbiCoder.defaultAbiCoder().encode(['address', 'bytes', 'bytes'], parts) + '6492'.repeat(16);
}

function edited(
  name: keyof Authorization,
  signedFor: (sent: Authorization) => Partial<Authorization>,
): SignatureFault {
  return {
    requirement: 'signature.authorization-edited',
    words: `A signature over another \`${name}\` than is sent`,
    spoil: () => ({ twist: { authorization: signedFor } }),
  };
}

function otherDomain(requirement: JudgedId, name: string, twist: (offer: Offer) => Twist): SignatureFault {
  return {
    requirement,
    words: `A signature for another ${name} of the domain`,
    spoil: (offer) => ({ twist: twist(offer) }),
  };
}

/** Another value of the same form, and the same other one each time. */
function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}
