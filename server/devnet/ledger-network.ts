import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { type AnvilOptions, startAnvil } from './anvil.ts';
import { createDeployer } from './deployer.ts';
import { freshKey, fundGas } from './funded-key.ts';

/** Differs from the payment chain's id, so that a proof cannot count as recorded there. */
const ledgerChainId = 31_740;

/** The ledger network of a devnet: a chain with only the contract where proofs are recorded. */
export type LedgerNetwork = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: Address;
  /** Key of an account that has ether for gas and may register enclave keys and record. */
  readonly relayerKey: Bytes32;
  /** Key of an account that may revoke enclave keys, and grant and revoke roles. */
  readonly adminKey: Bytes32;
};

/** Starts a ledger network. `stop` ends it and may be called again. Throws when the platform has no anvil. */
export async function startLedgerNetwork(
  options: Omit<AnvilOptions, 'chainId'>,
): Promise<{ readonly network: LedgerNetwork; stop(): Promise<void> }> {
  const anvil = await startAnvil({ ...options, chainId: ledgerChainId });
  const rpc = createHttpRpc({ url: anvil.rpcUrl, timeoutMs: 10_000, responseBytesMax: 1_048_576 });
  try {
    const [admin, relayer] = [freshKey(), freshKey()];
    await Promise.all([fundGas(rpc, admin.address), fundGas(rpc, relayer.address)]);
    const { address: owner, privateKey } = admin;
    const deployer = createDeployer({ rpc, chainId: ledgerChainId, owner, privateKey });
    const network = {
      rpcUrl: anvil.rpcUrl,
      chainId: ledgerChainId,
      contract: await deployer.deployLedger(relayer.address),
      relayerKey: relayer.privateKey,
      adminKey: admin.privateKey,
    };
    return { network, stop: anvil.stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  } finally {
    await rpc.close();
  }
}
