import type { WireLimits } from '../wire/wire.ts';
import { createRpc, type Rpc } from './rpc.ts';

/** URLs of nodes of the test network and of the ledger network, which show what became of payments and proofs. */
export type NodeUrls = { readonly chainRpcUrl?: string; readonly ledgerRpcUrl?: string };
export type Nodes = { readonly chain?: Rpc; readonly ledger?: Rpc };

export function openNodes(
  { chainRpcUrl, ledgerRpcUrl }: NodeUrls,
  limits: WireLimits,
  signal: AbortSignal,
): Nodes {
  return {
    ...(chainRpcUrl !== undefined && {
      chain: createRpc(chainRpcUrl, 'the node of --chain-rpc', limits, signal),
    }),
    ...(ledgerRpcUrl !== undefined && {
      ledger: createRpc(ledgerRpcUrl, 'the node of --ledger-rpc', limits, signal),
    }),
  };
}
