import { chainId } from '@paid-inference/contract/constants';
import { asOneLine } from '../wire/one-line.ts';
import type { WireLimits } from '../wire/wire.ts';
import { createRpc, quantityOf, type Rpc } from './rpc.ts';

/** URLs of nodes of the test network and of the ledger network, which show what became of payments and proofs. */
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
 * What to change in nodes that can show nothing, asked before anything is sent: found only once payments were signed, it would
 * have cost them. On which chain the ledger is, only a proof says, so that its node need but answer.
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
  const id = quantityOf(asked.value);
  if (id === undefined) return `${name} answered eth_chainId with ${written(asked.value)}: that is no chain`;
  return expected === undefined || id === expected
    ? undefined
    : `${name} is of chain ${id}; it should be of ${expected}, where payments settle`;
}

function written(value: unknown): string {
  return asOneLine(JSON.stringify(value) ?? 'nothing');
}
