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
  words: 'A signature by another key than that of `from`',
  spoil: () => ({ from: randomAddress() }),
};

/**
 * A random checksum address with small and capital letters. A few in 10,000 lack one of them, and some gateways
 * treat them differently.
 */
function randomAddress(): string {
  for (;;) {
    const address = getAddress(hexlify(randomBytes(20)));
    if (/[a-f]/.test(address) && /[A-F]/.test(address)) return address;
  }
}

/** Signers that a comparison of a part of the address takes for the payer. */
export const nearSigners: readonly SignatureFault[] = [
  {
    requirement: 'signature.other-signer',
    words: 'A signature by a key whose address differs from `from` in the last byte',
    spoil: () => ({ from: (signer) => getAddress(lastByteFlipped(signer.toLowerCase())) }),
  },
  {
    requirement: 'signature.other-signer',
    words: 'A signature by a key whose address differs from `from` in the first byte',
    spoil: () => ({ from: (signer) => getAddress(firstByteFlipped(signer.toLowerCase())) }),
  },
];

/**
 * Invalid signatures, each with one fault (§4.4, §5). The sent authorization matches the offer; only the signed
 * data differ. A sent `to` or `value` that was edited would break a rule of its own (§2.9), so a refusal would
 * prove nothing (D-119).
 */
export const signatureFaults: readonly SignatureFault[] = [
  byAnother,
  ...nearSigners,
  edited('nonce', ({ nonce }) => ({ nonce: lastByteFlipped(nonce) })),
  edited('to', ({ to }) => ({ to: lastByteFlipped(to.toLowerCase()) })),
  // The signature covers one unit less than the payment. At a price of zero it covers one unit more.
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

/** Payments without a signature (§2.10). */
export const unsigned: Readonly<Record<string, Spoil>> = {
  'A payment without `payload.signature`': () => ({ edit: ({ authorization }) => ({ authorization }) }),
  'A payment with an empty `payload.signature`': () => ({
    edit: ({ authorization }) => ({ authorization, signature: '' }),
  }),
};

/** No point of the curve has this `r`, so the signature recovers no address. */
const strangeR = '5'.padStart(64, '0');

/**
 * Signatures in forms other than EIP-712. Each is invalid in every reading: as the short form of EIP-2098,
 * without prefix, with a `v` of other schemes, or as a contract signature (D-168, D-182).
 */
export const malformedSignatures: Readonly<Record<string, Spoil>> = {
  'A signature of zeros': signedAs(() => `0x${'00'.repeat(65)}`),
  'A signature of no bytes': signedAs(() => '0x'),
  'A signature of 64 bytes': signedAs(shortOfOther),
  'A signature with an additional byte': signedAs((signature) => `${signature}00`),
  'A signature with a changed byte in the form of ERC-6492': signedAs(asOfContract),
  'A signature of five joined signatures, each with a changed byte,': signedAs(
    (signature) => `0x${withByteChanged(signature).slice(2).repeat(5)}`,
  ),
  'A signature with a changed byte and without `0x`': signedAs((signature) =>
    withByteChanged(signature).slice(2),
  ),
  'A signature that is no hex': signedAs((signature) => `0xzz${signature.slice(4)}`),
  'A signature with a `v` of 29 or 30': signedAs(
    // Wrong in both readings: whether even values count as 28 or odd values count as 27.
    (signature) => signature.slice(0, -2) + (isOfV27(signature) ? '1e' : '1d'),
  ),
  'An unrecoverable signature of the zero address': () => ({
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

/** `r` and `s` with the bit of the other `v`, which EIP-2098 puts into the first bit of `s`. */
function shortOfOther(signature: string): string {
  const first = Number.parseInt(signature.slice(66, 68), 16) | (isOfV27(signature) ? 0x80 : 0);
  return signature.slice(0, 66) + first.toString(16).padStart(2, '0') + signature.slice(68, 130);
}

/**
 * The form for a contract that is not deployed yet (ERC-6492): factory, deployment call, signature and mark.
 */
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
    words: `A signature over another \`${name}\` than the sent one`,
    spoil: () => ({ twist: { authorization: signedFor } }),
  };
}

function otherDomain(requirement: JudgedId, name: string, twist: (offer: Offer) => Twist): SignatureFault {
  return {
    requirement,
    words: `A signature for another ${name} in the domain`,
    spoil: (offer) => ({ twist: twist(offer) }),
  };
}

/** Changes the last byte: a well-formed value, and deterministic. */
function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}

function firstByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(2, 4), 16) ^ 0xff;
  return `0x${byte.toString(16).padStart(2, '0')}${hex.slice(4)}`;
}
