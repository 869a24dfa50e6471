import { readFileSync } from 'node:fs';
import { headerNames } from '@paid-inference/contract/constants';
import {
  decodeInferenceProof,
  decodePaymentObject,
  decodePaymentReceipt,
  decodePaymentRequirements,
} from '@paid-inference/contract/headers';
import { PaymentObject } from '@paid-inference/contract/validators';
import vectors from '@paid-inference/contract/vectors.json' with { type: 'json' };
import { TypedDataEncoder, verifyTypedData, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('OTHER-LANGUAGES.md', import.meta.url), 'utf8');
const [typedData, payment] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) =>
  JSON.parse(json ?? ''),
);
const { EIP712Domain: _, ...types } = typedData.types;

describe('The page for other languages', () => {
  it('has typed data with the hashes that it names', () => {
    expect(page).toContain(TypedDataEncoder.hashDomain(typedData.domain));
    expect(page).toContain(TypedDataEncoder.from(types).hash(typedData.message));
    expect(page).toContain(TypedDataEncoder.hash(typedData.domain, types, typedData.message));
  });

  it('has the signature of the given key over that typed data', async () => {
    const wallet = new Wallet(`0x${'11'.repeat(32)}`);
    const { signature, authorization } = payment.payload;
    expect(await wallet.signTypedData(typedData.domain, types, typedData.message)).toBe(signature);
    expect(verifyTypedData(typedData.domain, types, authorization, signature)).toBe(wallet.address);
  });

  it("has a payment that the contract's schema accepts", () => {
    expect(PaymentObject(payment)).toBe(true);
  });

  it('has the key, the payment and the hashes of vectors.json', () => {
    expect(payment.payload).toEqual({
      signature: vectors.signature,
      authorization: vectors.authorization,
    });
    expect(vectors.key).toBe(`0x${'11'.repeat(32)}`);
    for (const hash of [vectors.domainHash, vectors.messageHash, vectors.digest])
      expect(page).toContain(hash);
  });
});

it('The codecs of this client read the headers of vectors.json', () => {
  const { headers, offer, receipt, proof } = vectors;
  const { [headerNames.paymentRequired]: required, [headerNames.payment]: paid } = headers;
  const { [headerNames.paymentResponse]: settled, [headerNames.inferenceProof]: proven } = headers;
  expect(decodePaymentRequirements(required)).toEqual({ ok: true, value: offer });
  expect(decodePaymentObject(paid)).toEqual({ ok: true, value: payment });
  expect(decodePaymentReceipt(settled)).toEqual({ ok: true, value: receipt });
  expect(decodeInferenceProof(proven)).toEqual({ ok: true, value: proof });
});
