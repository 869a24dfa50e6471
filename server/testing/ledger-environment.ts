import type { LedgerNetwork } from '../devnet/ledger-network.ts';

/** What tells a gateway on a chain that somebody else started where to record its proofs. */
export function ledgerEnvironment({ rpcUrl, chainId, contract, relayerKey }: LedgerNetwork) {
  return {
    PROOF_LEDGER_RPC_URL: rpcUrl,
    PROOF_LEDGER_CHAIN_ID: String(chainId),
    PROOF_LEDGER_CONTRACT: contract,
    PROOF_LEDGER_KEY: relayerKey,
  };
}
