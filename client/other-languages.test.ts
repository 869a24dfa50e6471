import { readFileSync } from 'node:fs';
import { PaymentObject } from '@paid-inference/contract/validators';
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
});
