import type { UnreliableNode } from './unreliable-node.ts';

type Call = { readonly params: readonly unknown[] };
type RpcResponse = { readonly result?: { readonly blockNumber?: string; readonly number?: string } | null };

/**
 * Makes a node respond as a replica that is so many blocks behind: every result is of an older block, and later
 * data is missing. The chain behind the node must keep its history.
 */
export function lag(node: UnreliableNode, nodeUrl: string, blocks: number): void {
  let head = 0;
  node.reword = async (_method, body) => {
    head = Math.max(0, (await newestBlock(nodeUrl)) - blocks);
    const call = JSON.parse(body) as Call;
    const params = call.params.map((param) => (isNewest(param) ? hex(head) : clamped(param, head)));
    return JSON.stringify({ ...call, params });
  };
  node.rewrite = (_method, _body, response) => {
    const { result } = JSON.parse(response) as RpcResponse;
    const block = Number(result?.blockNumber ?? result?.number ?? 0);
    return block > head ? JSON.stringify({ ...JSON.parse(response), result: null }) : response;
  };
}

/** Ends the lag of a replica. */
export function catchUp(node: UnreliableNode): void {
  node.reword = (_method, body) => body;
  node.rewrite = (_method, _body, response) => response;
}

function isNewest(param: unknown): boolean {
  return param === 'latest' || param === 'pending';
}

/** Limits a search of logs to the replica's blocks. */
function clamped(param: unknown, head: number): unknown {
  if (typeof param !== 'object' || param === null || !('toBlock' in param)) return param;
  return { ...param, toBlock: hex(Math.min(Number(param.toBlock), head)) };
}

async function newestBlock(nodeUrl: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const response = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return Number(((await response.json()) as { result: string }).result);
}

function hex(block: number): string {
  return `0x${block.toString(16)}`;
}
