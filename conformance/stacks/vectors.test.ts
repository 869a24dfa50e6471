import { readFileSync } from 'node:fs';
import { headerNames } from '@paid-inference/contract/constants';
import * as valid from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { isSigned } from '../chain/proof.ts';
import { recoverSigner } from '../payment/sign.ts';
import { decodeBase64, decodeJson } from '../wire/base64-json.ts';
import { documents } from './stack.ts';

const vectors = JSON.parse(readFileSync(documents.VECTORS, 'utf8'));
const { offer, authorization, signature, receipt, proof, headers } = vectors;

function decode(name: string): unknown {
  const bytes = decodeBase64(headers[name]);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  if (!value.ok) throw new Error(`${name} is no base64 of JSON`);
  return value.value;
}

describe('generated/vectors.json', () => {
  it('has a signature of the payer, by the code of the suite', () => {
    const { name: domainName, version: domainVersion } = offer.extra;
    const signed = { ...offer, domainName, domainVersion };
    expect(recoverSigner(signed, { authorization, signature })).toBe(vectors.address.toLowerCase());
    const other = { ...authorization, value: '1001' };
    expect(recoverSigner(signed, { authorization: other, signature })).not.toBe(authorization.from);
  });

  it('has a proof that its enclave key signed', () => {
    expect(isSigned(proof)).toBe(true);
    expect(isSigned({ ...proof, timestamp: proof.timestamp + 1 })).toBe(false);
  });

  it('has headers with the objects of the contract', () => {
    expect(decode(headerNames.paymentRequired)).toEqual(offer);
    expect(decode(headerNames.payment)).toEqual({ payload: { signature, authorization } });
    expect(decode(headerNames.paymentResponse)).toEqual(receipt);
    expect(decode(headerNames.inferenceProof)).toEqual(proof);
    expect(valid.PaymentRequirements(offer) && valid.PaymentReceipt(receipt)).toBe(true);
    expect(valid.InferenceProof(proof)).toBe(true);
  });
});
