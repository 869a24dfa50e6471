import { randomBytes } from 'node:crypto';
import { chainId } from '@paid-inference/contract/constants';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { createAuthorizationHasher } from '../../chain/domain.ts';
import { createKeccak } from '../../chain/keccak.ts';
import { loadNativeCurve } from '../../chain/native-curve.ts';
import type { Devnet } from '../../devnet/devnet.ts';
import { systemClock } from '../../types/clock.ts';
import { type Address, atomicAmount, type Bytes32, type Hex } from '../../types/units.ts';

/** The price of a request to every server of the benchmark. */
export const price = '1000';

const payersAtMost = 64;
const validSeconds = 250;

/** The part of a payment that the contract's format and x402 v2 have in common. */
export type SignedPayload = {
  readonly signature: Hex;
  readonly authorization: {
    readonly from: Address;
    readonly to: Address;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: Bytes32;
  };
};

/**
 * Funds some payers, and returns a function that signs payments by them in turn. Signing is the clients' work, so
 * the benchmark signs before it measures, with libsecp256k1. Throws where that is not installed.
 */
export async function createPaymentSigner(devnet: Devnet): Promise<() => SignedPayload> {
  const curve = await loadNativeCurve();
  if (curve === null) throw new Error('libsecp256k1 is not installed. Run npm ci with its prebuilt binary.');
  const keccak = await createKeccak();
  const authorizationFields = transferWithAuthorizationTypes.TransferWithAuthorization;
  const hasher = createAuthorizationHasher({ keccak, authorizationFields });
  const { address, name, version } = devnet.token;
  const separator = hasher.domainSeparator({ name, version, chainId, verifyingContract: address });
  const payers = await Promise.all(Array.from({ length: payersAtMost }, () => devnet.fundPayer()));
  const validBefore = () => systemClock.nowSeconds() + validSeconds;
  let signed = 0;
  return () => {
    const payer = payers[signed++ % payers.length];
    if (payer === undefined) throw new Error('there is no payer');
    const nonce = `0x${randomBytes(32).toString('hex')}` as Bytes32;
    const until = validBefore();
    const authorization = {
      from: payer.address,
      to: devnet.payTo,
      value: atomicAmount(BigInt(price)),
      validAfter: 0n,
      validBefore: BigInt(until),
      nonce,
    };
    const digest = hasher.authorizationDigest(separator, authorization);
    const { signature, recid } = curve.ecdsaSign(digest, Buffer.from(payer.privateKey.slice(2), 'hex'));
    return {
      signature: `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}` as Hex,
      authorization: {
        from: payer.address,
        to: devnet.payTo,
        value: price,
        validAfter: '0',
        validBefore: String(until),
        nonce,
      },
    };
  };
}
