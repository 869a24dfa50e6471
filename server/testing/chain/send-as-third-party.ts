import { headerNames } from '@paid-inference/contract/constants';
import { Contract, JsonRpcProvider, Signature, Wallet } from 'ethers';
import artifact from '../../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { waitForReceipt } from '../../devnet/deployer.ts';
import type { TestGateway } from '../gateway.ts';

/** Sends a payer's authorization to the token from a third party. Returns the transaction's hash. */
export async function sendAsThirdParty(
  { devnet, rpc }: Pick<TestGateway, 'devnet' | 'rpc'>,
  header: Readonly<Record<string, string>>,
): Promise<string> {
  const text = Buffer.from(header[headerNames.payment] ?? '', 'base64').toString();
  const { signature, authorization } = JSON.parse(text).payload;
  const provider = new JsonRpcProvider(devnet.rpcUrl, devnet.chainId, { staticNetwork: true });
  try {
    const thirdParty = Wallet.createRandom().connect(provider);
    await rpc.call('anvil_setBalance', [thirdParty.address, '0xde0b6b3a7640000']);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const { v, r, s } = Signature.from(signature);
    const name =
      'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';
    const transfer = new Contract(devnet.token.address, artifact.abi, thirdParty).getFunction(name);
    const { hash } = await transfer(from, to, value, validAfter, validBefore, nonce, v, r, s);
    await waitForReceipt(rpc, hash);
    return hash;
  } finally {
    provider.destroy();
  }
}
