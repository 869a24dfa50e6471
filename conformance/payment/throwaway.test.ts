import { expect, it } from 'vitest';
import { useFastSignatures } from '../testing/fast-signatures.ts';
import { offer } from '../testing/plain-offer.ts';
import { createSecrets } from '../wire/secrets.ts';
import { recoverSigner } from './sign.ts';
import { createThrowaway, type ZeroByte } from './throwaway.ts';

useFastSignatures();

it.each<[ZeroByte, (number: { nonce: string; signature: string; from: string }) => string]>([
  ['nonce', ({ nonce }) => nonce],
  ['from', ({ from }) => from],
  ['r', ({ signature }) => signature],
  ['s', ({ signature }) => `0x${signature.slice(66)}`],
])('signs a payment whose %s begins with a zero byte (D-273)', async (zeroByte, read) => {
  const content = await createThrowaway(createSecrets()).pay(offer, 1_700_000_000, { zeroByte });
  const { payload } = JSON.parse(Buffer.from(content, 'base64').toString());
  expect(read({ ...payload, ...payload.authorization })).toMatch(/^0x00/);
  expect(recoverSigner(offer, payload)).toBe(payload.authorization.from.toLowerCase());
});
