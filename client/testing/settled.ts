import { chainId } from '@paid-inference/contract/constants';
import { Contract, type JsonRpcProvider } from 'ethers';
import { openProvider } from '../chain-provider.ts';

/** The payments of the chain, for a test that counts them. */
export type SettledPayments = {
  /** Whether the token moved the value of this authorization. */
  isSettled(payer: string, nonce: string): Promise<boolean>;
  /** Stops the chain, or lets it mine again. */
  setMining(isOn: boolean): Promise<void>;
  close(): void;
};

export function openSettledPayments(rpcUrl: string, asset: string): SettledPayments {
  const provider: JsonRpcProvider = openProvider(rpcUrl, chainId);
  const token = new Contract(
    asset,
    ['function authorizationState(address, bytes32) view returns (bool)'],
    provider,
  );
  return {
    isSettled: async (payer, nonce) => token.getFunction('authorizationState')(payer, nonce),
    async setMining(isOn) {
      await provider.send('evm_setAutomine', [isOn]);
      if (isOn) await provider.send('evm_mine', []);
    },
    close: () => provider.destroy(),
  };
}
