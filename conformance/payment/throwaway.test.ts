import { expect, it } from 'vitest';
import { useFastSignatures } from '../testing/fast-signatures.ts';
import { createSecrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import { recoverSigner } from './sign.ts';
import { createThrowaway, type ZeroByte } from './throwaway.ts';

useFastSignatures();

const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  resource: 'https://gateway.example/v1/completions',
  payTo: `0x${'ab'.repeat(20)}`,
  asset: `0x${'cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Token',
  domainVersion: '1',
};

it.each<[ZeroByte, (number: { nonce: string; signature: string }) => string]>([
  ['nonce', ({ nonce }) => nonce],
  ['r', ({ signature }) => signature],
  ['s', ({ signature }) => `0x${signature.slice(66)}`],
])('signs a payment whose %s begins with a zero byte (D-273)', async (zeroByte, read) => {
  const content = await createThrowaway(createSecrets()).pay(offer, 1_700_000_000, { zeroByte });
  const { payload } = JSON.parse(Buffer.from(content, 'base64').toString());
  expect(read({ ...payload, ...payload.authorization })).toMatch(/^0x00/);
  expect(recoverSigner(offer, payload)).toBe(payload.authorization.from.toLowerCase());
});
