import { chainId } from '@paid-inference/contract/constants';
import { asOneLine } from '../wire/one-line.ts';
import type { WireLimits } from '../wire/wire.ts';
import { createRpc, parseQuantity, type Rpc } from './rpc.ts';

/** URLs of nodes of the test network and of the ledger network, for the checks of payments and proofs. */
export type NodeUrls = { readonly chainRpcUrl?: string; readonly ledgerRpcUrl?: string };
export type Nodes = { readonly chain?: Rpc; readonly ledger?: Rpc };

const names = { chain: 'the node of --chain-rpc', ledger: 'the node of --ledger-rpc' } as const;

export function openNodes(
  { chainRpcUrl, ledgerRpcUrl }: NodeUrls,
  limits: WireLimits,
  signal: AbortSignal,
): Nodes {
  return {
    ...(chainRpcUrl !== undefined && { chain: createRpc(chainRpcUrl, names.chain, limits, signal) }),
    ...(ledgerRpcUrl !== undefined && { ledger: createRpc(ledgerRpcUrl, names.ledger, limits, signal) }),
  };
}

/**
 * The fault of an unusable node, found before any payment is signed and paid for. Only a proof names the chain
 * of the ledger, so the ledger's node only has to respond.
 */
export async function nodesFault({ chain, ledger }: Nodes): Promise<string | undefined> {
  const faults = await Promise.all([
    chain && nodeFault(chain, names.chain, BigInt(chainId)),
    ledger && nodeFault(ledger, names.ledger),
  ]);
  return faults.find((fault) => fault !== undefined);
}

async function nodeFault(rpc: Rpc, name: string, expected?: bigint): Promise<string | undefined> {
  const asked = await rpc.call('eth_chainId', []);
  if (!asked.ok) return asked.verdict.reason;
  const id = parseQuantity(asked.value);
  if (id === undefined) return `${name} returned no chain id for eth_chainId: ${written(asked.value)}`;
  return expected === undefined || id === expected
    ? undefined
    : `${name} is on chain ${id}, but payments settle on chain ${expected}. Give a node of chain ${expected}`;
}

function written(value: unknown): string {
  return asOneLine(JSON.stringify(value) ?? 'nothing');
}
