import { Signature, Wallet } from 'ethers';
import type { Hex } from '../../types/units.ts';
import { type Bench, type Executed, token } from './settlement.ts';

/**
 * Cancels an authorization as its payer (EIP-3009, `cancelAuthorization`). Resolves when it is on the chain.
 */
export async function cancelAuthorization(bench: Bench, { payer, payment }: Executed): Promise<void> {
  const { name, version, address: verifyingContract } = bench.devnet.token;
  const types = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  };
  const domain = { name, version, chainId: bench.devnet.chainId, verifyingContract };
  const message = { authorizer: payer.address, nonce: payment.authorization.nonce };
  const signature = await new Wallet(payer.privateKey).signTypedData(domain, types, message);
  const { v, r, s } = Signature.from(signature);
  const values = [payer.address, payment.authorization.nonce, v, r, s];
  await bench.sendAsThirdParty(token.encodeFunctionData('cancelAuthorization', values) as Hex);
}
