import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import type { Hex } from '../types/units.ts';
import {
  authorizationStateCalldata,
  balanceOfCalldata,
  domainSeparatorCalldata,
  signedTransferCalldata,
  transferCalldata,
  transferWithAuthorizationCalldata,
} from './calldata.ts';
import { keepWalletSignature } from './wallet-signature.ts';

const seed = testSeed();
const token = new Interface(artifact.abi);
const walletTransfer = 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)';
const transfer =
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';

test(`Every call is packed as the token's ABI prescribes, for random values (seed ${seed})`, () => {
  const random = randomValues(seed);
  for (let round = 0; round < 200; round++) {
    const authorization = random.authorization();
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const signature = {
      v: random.below(2) === 0 ? (27 as const) : (28 as const),
      r: random.bytes32(),
      s: random.bytes32(),
    };
    const { v, r, s } = signature;
    expect(transferWithAuthorizationCalldata(authorization, signature)).toBe(
      token.encodeFunctionData(transfer, [from, to, value, validAfter, validBefore, nonce, v, r, s]),
    );
    const ofWallet = `0x${'5e'.repeat(random.below(200))}` as Hex;
    expect(signedTransferCalldata(authorization, keepWalletSignature(ofWallet))).toBe(
      token.encodeFunctionData(walletTransfer, [from, to, value, validAfter, validBefore, nonce, ofWallet]),
    );
    expect(transferCalldata(to, value)).toBe(token.encodeFunctionData('transfer', [to, value]));
    expect(balanceOfCalldata(from)).toBe(token.encodeFunctionData('balanceOf', [from]));
    expect(authorizationStateCalldata(from, nonce)).toBe(
      token.encodeFunctionData('authorizationState', [from, nonce]),
    );
  }
  expect(domainSeparatorCalldata()).toBe(token.encodeFunctionData('DOMAIN_SEPARATOR'));
});
