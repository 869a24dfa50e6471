import { Signature, ZeroAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { Offer } from '../../payment/offer.ts';
import { recoverSigner } from '../../payment/sign.ts';
import { createThrowaway } from '../../payment/throwaway.ts';
import { decodeJson, member } from '../../wire/base64-json.ts';
import { createSecrets } from '../../wire/secrets.ts';
import { malformedSignatures, signatureFaults } from './signature-faults.ts';

const asset = `0x${'2a'.repeat(20)}`;
const offer: Offer = {
  resource: 'http://127.0.0.1/v1/completions',
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  payTo: `0x${'1b'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  asset,
  domainName: 'Some Token',
  domainVersion: '1',
};
const offers: Readonly<Record<string, Offer>> = {
  'of a token': offer,
  'of a token with the name USDC': { ...offer, domainName: 'USDC' },
  'of a token with the name USD Coin and version 2': {
    ...offer,
    domainName: 'USD Coin',
    domainVersion: '2',
  },
  'of a token without a name': { ...offer, domainName: '' },
  'of a token at the zero address': { ...offer, asset: ZeroAddress },
  'of a price of 256 bits': { ...offer, maxAmountRequired: 2n ** 256n - 1n },
  'with the token as recipient': { ...offer, payTo: asset },
};

type Sent = Parameters<typeof recoverSigner>[1];

function paymentIn(header: string): Sent {
  const read = decodeJson(Buffer.from(header, 'base64'));
  return member(read.ok ? read.value : undefined, 'payload') as Sent;
}

/** If a signature were valid after all, a gateway that accepts it would be right (§4.4, D-119). */
describe('every signature that must be refused is invalid', () => {
  it.each(Object.entries(offers))('for an offer %s', async (_, made) => {
    const throwaway = createThrowaway(createSecrets());
    for (const { words, spoil } of signatureFaults) {
      const sent = paymentIn(await throwaway.pay(made, 1_700_000_000, spoil(made)));
      expect(recoverSigner(made, sent), words).not.toBe(sent.authorization.from.toLowerCase());
    }
  });

  it('includes domains without each part, with each part alone, and without any (D-156)', () => {
    const words = signatureFaults.map((fault) => fault.words).join('\n');
    for (const part of ['name', 'version', 'chainId', 'verifyingContract']) {
      expect(words).toContain(`for a domain without \`${part}\``);
      expect(words).toContain(`for a domain with only \`${part}\``);
    }
    expect(words).toContain('for an empty domain');
  });

  it('has its own description for each fault', () => {
    const words = signatureFaults.map((fault) => fault.words);
    expect(new Set(words).size).toBe(words.length);
  });
});

/** Readings of a lenient gateway: without the prefix, or in the short form of EIP-2098. */
function readings(signature: string): readonly string[] {
  return [signature, `0x${signature}`].filter((text) => {
    try {
      return Signature.from(text).serialized !== '';
    } catch {
      return false;
    }
  });
}

describe('every malformed signature is invalid in all readings (D-168)', () => {
  it.each(Object.entries(malformedSignatures))('%s', async (_, spoil) => {
    const throwaway = createThrowaway(createSecrets());
    // Signatures with both values of `v`.
    for (let time = 0; time < 8; time += 1) {
      const sent = paymentIn(await throwaway.pay(offer, 1_700_000_000, spoil(offer)));
      const signers = readings(sent.signature).map((signature) =>
        recoverSigner(offer, { ...sent, signature }),
      );
      expect(signers).not.toContain(sent.authorization.from.toLowerCase());
    }
  });

  it('includes a short signature of another signer', async () => {
    const throwaway = createThrowaway(createSecrets());
    const spoil = malformedSignatures['A signature of 64 bytes'];
    const sent = paymentIn(await throwaway.pay(offer, 1_700_000_000, spoil?.(offer)));
    expect(readings(sent.signature)).toEqual([sent.signature]);
    expect(sent.signature).toHaveLength(130);
  });
});
