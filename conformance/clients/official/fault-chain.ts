import { Contract, JsonRpcProvider } from 'ethers';
import type { GatewayProcess } from '../../testing/gateway-process.ts';

/** The payments on the devnet of a gateway. */
export type FaultChain = {
  /** The tokens of the payer. */
  balance(): Promise<bigint>;
  /** Whether the token moved the value of this authorization. */
  isSettled(nonce: string): Promise<boolean>;
  /** Stops the chain, or lets it mine again. */
  setMining(isOn: boolean): Promise<void>;
  close(): void;
};

export function openFaultChain({ ready }: GatewayProcess): FaultChain {
  const provider = new JsonRpcProvider(ready.chain.rpcUrl, undefined, { staticNetwork: true });
  const abi = [
    'function balanceOf(address) view returns (uint256)',
    'function authorizationState(address, bytes32) view returns (bool)',
  ];
  const token = new Contract(ready.token.address, abi, provider);
  return {
    balance: () => token.getFunction('balanceOf')(ready.payer.address),
    isSettled: (nonce) => token.getFunction('authorizationState')(ready.payer.address, nonce),
    async setMining(isOn) {
      await provider.send('evm_setAutomine', [isOn]);
      if (isOn) await provider.send('evm_mine', []);
    },
    close: () => provider.destroy(),
  };
}
