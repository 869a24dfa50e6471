import { setTimeout as after } from 'node:timers/promises';
import { Contract, JsonRpcProvider, Wallet } from 'ethers';
import type { TestGateway } from '../gateway.ts';

/** Transfers all tokens of the payer to another account, as a payer may at any time. */
export async function emptyWallet(
  { devnet, rpc }: Pick<TestGateway, 'devnet' | 'rpc'>,
  privateKey: string,
): Promise<void> {
  const provider = new JsonRpcProvider(devnet.rpcUrl, devnet.chainId, {
    pollingInterval: 10,
    staticNetwork: true,
  });
  try {
    const payer = new Wallet(privateKey, provider);
    await rpc.call('anvil_setBalance', [payer.address, '0xde0b6b3a7640000']);
    const abi = [
      'function transfer(address, uint256) returns (bool)',
      'function balanceOf(address) view returns (uint256)',
    ];
    const token = new Contract(devnet.token.address, abi, payer);
    const everything: unknown = await token.getFunction('balanceOf')(payer.address);
    const sent = await token.getFunction('transfer')(devnet.payer.address, everything);
    // ethers waits for the next block, and a chain that makes blocks only with transactions may never make one.
    while (!(await isMined(sent.hash))) await after(10);
  } finally {
    provider.destroy();
  }

  async function isMined(hash: string): Promise<boolean> {
    const receipt = await rpc.call('eth_getTransactionReceipt', [hash]);
    return receipt.ok && receipt.value !== null;
  }
}
