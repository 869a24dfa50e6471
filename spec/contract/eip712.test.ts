import {
  paymentDomain,
  paymentDomainFields,
  transferWithAuthorizationEncodedType,
  transferWithAuthorizationPrimaryType,
  transferWithAuthorizationTypes,
} from '@paid-inference/contract/eip712';
import { id, recoverAddress, TypedDataEncoder, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { sections } from '../testing/contract-text.ts';
import { authorization, requirements } from '../testing/values.ts';

const step4 = /^4\. .*$/m.exec(sections.get('4.4') ?? '')?.[0] ?? '';
const domain = paymentDomain(requirements);

describe('4.4 step 4', () => {
  it('names the primary type and its fields in this order', () => {
    const [, primaryType] = /Primary type `(\w+)`/.exec(step4) ?? [];
    const fields = [...step4.matchAll(/`(\w+)` \((\w+)\)/g)].map(([, name, type]) => ({ name, type }));
    expect(transferWithAuthorizationPrimaryType).toBe(primaryType);
    expect(transferWithAuthorizationTypes).toEqual({ [primaryType ?? '']: fields });
  });

  it('names the source of each domain field', () => {
    expect(step4).toContain(
      '`name` = `extra.name`, `version` = `extra.version`, `chainId` = 84532, `verifyingContract` = `asset`',
    );
    const { asset, extra } = requirements;
    expect(domain).toEqual({
      name: extra.name,
      version: extra.version,
      chainId: 84532,
      verifyingContract: asset,
    });
  });
});

describe('EIP-712', () => {
  it('the type hash equals the one of EIP-3009', () => {
    const encoder = TypedDataEncoder.from(transferWithAuthorizationTypes);
    const encoded = encoder.encodeType(transferWithAuthorizationPrimaryType);
    expect(encoded).toBe(transferWithAuthorizationEncodedType);
    // EIP-3009, TRANSFER_WITH_AUTHORIZATION_TYPEHASH.
    expect(id(encoded)).toBe('0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267');
    expect(encoder.primaryType).toBe(transferWithAuthorizationPrimaryType);
  });

  it('the domain has its fields in the order of EIP-712', () => {
    const { types } = TypedDataEncoder.getPayload(domain, transferWithAuthorizationTypes, {
      ...authorization,
    }) as {
      types: { EIP712Domain: unknown };
    };
    expect(types.EIP712Domain).toEqual(paymentDomainFields);
    expect(Object.keys(domain)).toEqual(paymentDomainFields.map(({ name }) => name));
  });

  it('a wallet can sign an authorization, and another chain or token changes the digest', async () => {
    const wallet = Wallet.createRandom();
    const message = { ...authorization, from: wallet.address };
    const signed = await wallet.signTypedData(domain, transferWithAuthorizationTypes, message);
    const digest = (of: typeof domain) => TypedDataEncoder.hash(of, transferWithAuthorizationTypes, message);
    expect(recoverAddress(digest(domain), signed)).toBe(wallet.address);
    const others = [
      { ...domain, name: 'Other' },
      { ...domain, version: '2' },
      { ...domain, chainId: 8453 },
      { ...domain, verifyingContract: requirements.payTo },
    ];
    for (const other of others) expect(recoverAddress(digest(other), signed)).not.toBe(wallet.address);
  });
});
