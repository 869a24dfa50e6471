import { Contract, JsonRpcProvider, Wallet } from 'ethers';
import { waitForReceipt } from '../../devnet/deployer.ts';
import type { TestGateway } from '../gateway.ts';

/** Transfers all tokens of the payer to another account, as a payer may at any time. */
export async function emptyWallet(
  { devnet, rpc }: Pick<TestGateway, 'devnet' | 'rpc'>,
  privateKey: string,
): Promise<void> {
  const provider = new JsonRpcProvider(devnet.rpcUrl, devnet.chainId, { staticNetwork: true });
  try {
    const payer = new Wallet(privateKey, provider);
    await rpc.call('anvil_setBalance', [payer.address, '0xde0b6b3a7640000']);
    const abi = [
      'function transfer(address, uint256) returns (bool)',
      'function balanceOf(address) view returns (uint256)',
    ];
    const token = new Contract(devnet.token.address, abi, payer);
    const everything: unknown = await token.getFunction('balanceOf')(payer.address);
    const { hash } = await token.getFunction('transfer')(devnet.payer.address, everything);
    await waitForReceipt(rpc, hash);
  } finally {
    provider.destroy();
  }
}
