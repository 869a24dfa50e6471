import { AbiCoder, concat, id, keccak256, recoverAddress, toUtf8Bytes, Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { createSecrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import { type Authorization, sealPayment, sealUnchecked, signAuthorization, type Twist } from './sign.ts';
import { authorizationFor } from './terms.ts';

const wallet = new Wallet(`0x${'22'.repeat(32)}`);
const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  resource: 'https://gateway.example/v1/completions',
  // Mixed case without a valid checksum: addresses are case-insensitive.
  payTo: `0x${'aB'.repeat(20)}`,
  asset: `0x${'Cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Token',
  domainVersion: '1',
};
const authorization = authorizationFor('exact', offer, wallet.address, 1_700_000_000);

/** The digest, built by hand according to EIP-712 from the type hash in EIP-3009. */
function digestByHand({ from, to, value, validAfter, validBefore, nonce }: Authorization): string {
  const coder = AbiCoder.defaultAbiCoder();
  const domain = coder.encode(
    ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'],
    [
      id('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
      keccak256(toUtf8Bytes('Token')),
      keccak256(toUtf8Bytes('1')),
      84_532,
      offer.asset.toLowerCase(),
    ],
  );
  const struct = coder.encode(
    ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32'],
    [
      '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
      from.toLowerCase(),
      to.toLowerCase(),
      value,
      validAfter,
      validBefore,
      nonce,
    ],
  );
  return keccak256(concat(['0x1901', keccak256(domain), keccak256(struct)]));
}

it('signs the digest of EIP-3009', async () => {
  const signature = await signAuthorization(wallet, offer, authorization);
  expect(recoverAddress(digestByHand(authorization), signature)).toBe(wallet.address);
});

it.each<Twist>([
  { name: 'Token Two' },
  { version: '2' },
  { chainId: 1 },
  { verifyingContract: `0x${'01'.repeat(20)}` },
  { authorization: ({ value }) => ({ value: `${value}0` }) },
  { primaryType: 'ReceiveWithAuthorization' },
])('signs another digest with %o', async (twist) => {
  const signature = await signAuthorization(wallet, offer, authorization, twist);
  expect(recoverAddress(digestByHand(authorization), signature)).not.toBe(wallet.address);
});

it('gives a scheme the authorization as it is sent, with mixed case (D-242)', async () => {
  const scheme: Twist['scheme'] = (_, { sent }) => JSON.stringify(sent);
  const mixed = { ...authorization, from: wallet.address };
  expect(await signAuthorization(wallet, offer, mixed, { scheme })).toBe(JSON.stringify(mixed));
});

it('throws for an invalid payment object', async () => {
  const signature = await signAuthorization(wallet, offer, authorization);
  const short = { ...authorization, nonce: '0x01' };
  expect(() => sealPayment(short, signature, createSecrets())).toThrow('invalid payment object');
});

it.each(['0x', `0x${'00'.repeat(65)}`, `0x${'5'.padStart(64, '0')}${'5a'.repeat(32)}1b`])(
  'does not conceal common texts and numbers: %s',
  (signature) => {
    const secrets = createSecrets();
    sealUnchecked(authorization, signature, secrets);
    const text = `5 of 0 to 0x12 by 0x${'00'.repeat(20)}`;
    expect(secrets.redact(text)).toBe(text);
  },
);
