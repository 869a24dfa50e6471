import type { LedgerNetwork } from '../../devnet/ledger-network.ts';

/** Builds the environment of a gateway that records its proofs on an existing ledger network. */
export function ledgerEnvironment({ rpcUrl, chainId, contract, relayerKey }: LedgerNetwork) {
  return {
    PROOF_LEDGER_RPC_URL: rpcUrl,
    PROOF_LEDGER_CHAIN_ID: String(chainId),
    PROOF_LEDGER_CONTRACT: contract,
    PROOF_LEDGER_KEY: relayerKey,
  };
}
